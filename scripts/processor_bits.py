"""Which optimizers propose something else on another processor: the same runs with other kernels and threads.

    python scripts/processor_bits.py                      every optimizer, some minutes
    python scripts/processor_bits.py tpe gp --trials 100

Each run is made in processes of its own: as it is; with two BLAS threads; and with the instructions that every x86
processor with AVX2 has, kernels of OpenBLAS for Haswell and numpy without AVX512. A row says whether records are equal
to the last bit. `hpo_leaderboard.archive.checks.processors` says which are not.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
AVX512 = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
SETTINGS = {
    "as it is": ONE_THREAD,
    "two threads": {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"},
    "Haswell": {**ONE_THREAD, "OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": AVX512},
}
TABLES = ("protein", "mini-wine")  # one budget; many
PATIENCE = 900  # seconds


def digest(name: str, n_trials: int) -> str:
    """Digest of the record of a run, without what says which libraries made it; or why there is none."""
    from hpo_leaderboard.archive.building import OPTIONS
    from hpo_leaderboard.experiments.execution import execute
    from hpo_leaderboard.experiments.plan import make_plan
    from hpo_leaderboard.experiments.suite import make_suite
    from hpo_leaderboard.store.columns import decompress

    for table in TABLES:
        suite = make_suite("bits", [table], [{"name": name, "options": OPTIONS.get(name, {})}], n_trials=n_trials)
        try:
            job = make_plan(suite).jobs[0]
        except ValueError:
            continue  # it needs several budgets
        run = execute(job)
        if run.failure is not None:
            return run.failure
        return hashlib.sha256(decompress(run.numbers) + decompress(run.configs)).hexdigest()[:16]
    return "cannot be run"


def elsewhere(name: str, n_trials: int, setting: dict[str, str]) -> str:
    """The digest in a process with a setting."""
    command = [sys.executable, "-W", "ignore", __file__, "--one", name, "--trials", str(n_trials)]
    environment = {**os.environ, **setting}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True)
    except subprocess.SubprocessError as error:
        return type(error).__name__
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    from hpo_core.names import optimizers

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="optimizers (all)")
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(digest(options.one, options.trials)))
        return
    for name in options.names or optimizers():
        found = {words: elsewhere(name, options.trials, setting) for words, setting in SETTINGS.items()}
        own = found.pop("as it is")
        words = ", ".join(f"{words}: {'equal' if other == own else 'DIFFERS'}" for words, other in found.items())
        print(f"{name:<15} {own:<18} {words}", flush=True)


if __name__ == "__main__":
    main()
