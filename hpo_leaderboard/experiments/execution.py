"""`execute`: a job in, its finished run out. Pure but for the measured overhead, so that any process may do it."""

from __future__ import annotations

import hashlib
import traceback
from time import perf_counter, process_time
from typing import NamedTuple

from hpo_core import Benchmark, run
from hpo_core.errors import HpoError, UnknownName
from hpo_core.names import make_optimizer
from hpo_core.running.optimizer import Optimizer, n_random_of
from hpo_core.running.record import Run
from hpo_core.running.trial import Proposal
from hpo_leaderboard.experiments.code.numerics import numerics
from hpo_leaderboard.experiments.identity import OpenBenchmark, may_be, open_benchmark, optimizer_version
from hpo_leaderboard.experiments.job import Job
from hpo_leaderboard.experiments.noise_free import noise_free_trials
from hpo_leaderboard.store.columns import compress, config_lines, pack_numbers

CIRCUMSTANCES = (ImportError, MemoryError, OSError, UnknownName)  # say something about the machine, not the optimizer


MOST_FAILURE = 2000  # characters that are kept of an exception's message


class DifferentVersion(HpoError, RuntimeError):
    """A worker on which a benchmark or optimizer is not the one that the job was made with."""


class FinishedRun(NamedTuple):
    """What the store keeps of a run.

    key        of its job
    reason     why it ended
    n_trials   how many trials it has
    failure    None, or why the run itself broke; it has no trials then
    settled    whether executing the job again would end the same way; a failure of circumstances (a time-out, a worker
               that died, a table or a name that is not there) is tried again when the experiment is asked for again
    overhead   CPU seconds of the optimizer's ask and tell, the only thing that differs between two executions;
               its constructor and the objective are not counted
    numbers    compressed columns of its trials
    configs    compressed configurations of its trials
    digest     SHA-256 of all of it but the overhead, the wording of the failure and `n_random`
    n_random   how many proposals were random, None where the optimizer does not say
    """

    key: str
    reason: str
    n_trials: int
    failure: str | None
    settled: bool
    overhead: float
    numbers: bytes
    configs: bytes
    digest: bytes
    n_random: int | None = None


def execute(job: Job) -> FinishedRun:
    """The finished run of a job; what goes wrong is its `failure`."""
    try:
        opened = _benchmark_of(job)
    except (Exception, SystemExit) as error:
        return broken_run(job, _text(error), settled=False)
    try:
        benchmark = opened.benchmark
        optimizer = _optimizer_of(job, opened)
        timed = TimedOptimizer(optimizer)
        record = run(
            benchmark,
            timed,
            n_trials=job.trial_limit,
            max_cost=job.cost_limit,
            seed=job.run_seed,
            workers=job.workers,
            resume=job.resume,
        )
        overhead = timed.overhead()
        return _finished(job, benchmark, record, overhead)._replace(n_random=n_random_of(optimizer))
    except (*CIRCUMSTANCES, DifferentVersion) as error:
        return broken_run(job, _text(error), settled=False)
    except (
        Exception,
        SystemExit,
    ) as error:  # `sys.exit` in an optimizer must not end the experiment as if all was done
        return broken_run(job, _text(error), settled=True)


def broken_run(job: Job, failure: str, *, settled: bool) -> FinishedRun:
    """A run without trials, and why."""
    digest = run_digest(job.key, "broke", b"", b"")
    return FinishedRun(job.key, "broke", 0, failure, settled, 0.0, compress(b""), compress(b""), digest)


def run_digest(key: str, reason: str, numbers: bytes, configs: bytes) -> bytes:
    """SHA-256 of a run's uncompressed contents."""
    head = f"{key}\n{reason}\n{len(numbers)}\n".encode()
    return hashlib.sha256(head + numbers + configs).digest()


class TimedOptimizer:
    """An optimizer whose `ask` and `tell` are timed.

    The CPU's clock takes a microsecond to read, as long as random search takes to answer, so it is read at the start
    and at the end only, and each call is timed by the wall clock.
    """

    def __init__(self, optimizer: Optimizer):
        self._optimizer = optimizer
        self._inside = 0.0
        self._wall, self._cpu = perf_counter(), process_time()

    def ask(self) -> Proposal | None:
        start = perf_counter()
        proposal = self._optimizer.ask()
        self._inside += perf_counter() - start
        return proposal

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        start = perf_counter()
        self._optimizer.tell(proposal, loss, cost)
        self._inside += perf_counter() - start

    def overhead(self) -> float:
        """CPU seconds since the start, times the share of the time that passed inside of `ask` and `tell`.

        Those of a peer process, which the CPU's clock of this one does not count, are added.
        """
        here = (process_time() - self._cpu) * self._inside / (perf_counter() - self._wall)
        return here + float(getattr(self._optimizer, "outside_seconds", 0.0))


def _benchmark_of(job: Job) -> OpenBenchmark:
    opened = open_benchmark(job.benchmark.name, job.benchmark.options)
    if opened.checksum != job.checksum:
        raise DifferentVersion(
            f"benchmark {job.benchmark.label!r} has the checksum {opened.checksum[:12]} here and {job.checksum[:12]} "
            "where the experiment was started; bring both to the same package versions and tables"
        )
    return opened


def _optimizer_of(job: Job, opened: OpenBenchmark) -> Optimizer:
    member = job.optimizer
    if job.numerics not in (None, numerics()):
        raise DifferentVersion(
            f"linear algebra is done by {numerics()} here and by {job.numerics} where the experiment was started, and "
            "gives other digits; install the same versions, and where only the last word differs set "
            f"OPENBLAS_CORETYPE={job.numerics.rpartition(' ')[2]} here"
        )
    try:
        built = make_optimizer(member.name, opened.space, opened.benchmark.budgets, job.run_seed, **member.options)
    except (Exception, SystemExit):
        version = optimizer_version(member.name, None)
        if not may_be(job.version, version):  # what another version raises says nothing about this one
            raise _differing(job, version) from None
        raise
    version = optimizer_version(member.name, built)
    if version != job.version:
        raise _differing(job, version)
    return built


def _differing(job: Job, version: str) -> DifferentVersion:
    return DifferentVersion(
        f"optimizer {job.optimizer.label!r} has version {version} here and {job.version} where the experiment was "
        "started; bring both to the same one"
    )


def _finished(job: Job, benchmark: Benchmark, record: Run, overhead: float) -> FinishedRun:
    lines = config_lines(record.trials)
    exact, test = noise_free_trials(benchmark, record.trials, lines)
    numbers, configs = pack_numbers(record.trials, exact, test), "\n".join(lines).encode()
    digest = run_digest(job.key, record.reason, numbers, configs)
    return FinishedRun(
        job.key,
        record.reason,
        len(record.trials),
        None,
        True,
        overhead,
        compress(numbers),
        compress(configs),
        digest,
    )


def _text(error: BaseException) -> str:
    """Type and message of an exception, not more than a screen of it, and the line that raised it."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} in {frame.name}"
    try:
        message = str(error)
    except Exception as broken:
        message = f"its message cannot be read ({type(broken).__name__})"
    message = message.encode(errors="replace").decode()
    shown = message if len(message) <= MOST_FAILURE else f"{message[:MOST_FAILURE]}..."
    return f"{type(error).__name__}: {shown} ({where})"
