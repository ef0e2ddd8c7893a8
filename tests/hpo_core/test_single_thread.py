"""`single_thread` limits the libraries for as long as any block runs, and costs little."""

import time
from threading import Event, Thread

import numpy as np
import pytest
import scipy.linalg  # noqa: F401  brings a BLAS of its own
from threadpoolctl import threadpool_info, threadpool_limits

from hpo_core import run
from hpo_core.single_thread import single_thread, single_threaded


def n_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2):
        if n_threads() != {2}:
            pytest.skip("the installed BLAS cannot have two threads")
        yield


def test_blocks_in_each_other_end_with_the_outer_one():
    with single_thread:
        with single_thread:
            assert n_threads() == {1}
        assert n_threads() == {1}
    assert n_threads() == {2}


def test_an_exception_ends_a_block():
    @single_threaded
    def broken():
        raise KeyError(sorted(n_threads()))

    with pytest.raises(KeyError, match="1"):
        broken()
    assert n_threads() == {2}


def test_the_limit_stays_while_another_thread_of_python_is_inside():
    entered, leave = Event(), Event()

    def stay():
        with single_thread:
            entered.set()
            leave.wait()

    other = Thread(target=stay, daemon=True)
    other.start()
    entered.wait()
    with single_thread:
        pass
    assert n_threads() == {1}
    leave.set()
    other.join()
    assert n_threads() == {2}


def test_a_run_has_one_thread_in_optimizer_objective_and_criterion():
    seen = []

    class Looking:
        def __init__(self, space, *, budgets=(1,), seed=0):
            self.space, self.rng = space, np.random.default_rng(seed)

        def ask(self):
            from hpo_core import Proposal

            seen.append(n_threads())
            return Proposal(self.space.sample(self.rng))

        def tell(self, proposal, loss, cost):
            seen.append(n_threads())

    run("branin", Looking, n_trials=3, stop=lambda trials: seen.append(n_threads()))
    assert seen == [{1}] * 9
    assert n_threads() == {2}


def test_a_block_inside_of_another_costs_microseconds():
    with single_thread:
        start = time.process_time()
        for _ in range(10_000):
            with single_thread:
                pass
        assert time.process_time() - start < 0.2  # a fresh limit of threadpoolctl takes over 10 s for these
