"""The default as the first proposal of any optimizer."""

import numpy as np
import pytest

from baselines import optimizer
from hpo_core import Benchmark, Categorical, Float, Proposal, Space, run
from hpo_core.errors import InvalidOption
from hpo_core.running.optimizer import UnknownProposal

SPACE = Space([Float("x", 0.0, 1.0), Categorical("c", ["a", "b"])]).with_prior({"x": (0.3, "normal", 0.1)})
FIRST = {"x": 0.3, "c": "a"}


class Told:
    """Proposes whatever it likes and remembers what it was told."""

    def __init__(self, space, *, budgets=(1,), seed=0):
        self.told, self._rng = [], np.random.default_rng(seed)

    def ask(self):
        return Proposal({"x": float(self._rng.random()), "c": "b"})

    def tell(self, proposal, loss, cost):
        if proposal.config["c"] == "a":
            raise UnknownProposal("never asked for")
        self.told.append((proposal, loss))


def test_an_optimizer_that_starts_with_it_is_told():
    o = optimizer("tpe", SPACE, seed=1, default_first=True, n_initial=2)
    p = o.ask()
    assert p.config == pytest.approx(FIRST) and o.informed
    o.tell(p, 0.0, 1.0)
    near = [o.ask() for _ in range(40)]
    assert np.median([abs(q.config["x"] - 0.3) for q in near]) < 0.2  # the densities know the only good row


def test_one_that_does_not_loses_no_proposal_of_its_own():
    made = []
    plain, o = Told(SPACE), optimizer(lambda *a, **k: made.append(Told(*a, **k)) or made[0], SPACE, default_first=True)
    first, second, third = (o.ask() for _ in range(3))
    assert first == Proposal(FIRST) and not o.informed
    assert [second, third] == [plain.ask(), plain.ask()]
    o.tell(third, 2.0, 1.0)
    o.tell(Proposal(dict(first.config)), 1.0, 1.0)  # equal, as after a trip through another process
    with pytest.raises(UnknownProposal):
        o.tell(first, 1.0, 1.0)
    assert made[0].told == [(third, 2.0)]


def test_the_rest_of_random_search_is_the_same():
    o, plain = (optimizer("rs", SPACE, seed=5, default_first=flag) for flag in (True, False))
    assert o.ask().config == FIRST
    assert [o.ask() for _ in range(100)] == [plain.ask() for _ in range(100)]


def test_it_is_an_option_of_runs_and_repeats():
    b = Benchmark("branin")
    a, again = (run(b, "de", n_trials=30, seed=2, options={"default_first": True}) for _ in range(2))
    assert a.trials == again.trials and a.trials[0].config == b.space.complete({})


def test_more_workers_get_it_once():
    r = run(Benchmark("branin"), "gp", n_trials=8, workers=4, options={"default_first": True})
    middle = Benchmark("branin").space.complete({})
    assert [t.config == pytest.approx(middle) for t in sorted(r.trials, key=lambda t: t.step)] == [True] + [False] * 7


@pytest.mark.parametrize("wrong", [1, "yes", None])
def test_it_is_true_or_false(wrong):
    with pytest.raises(InvalidOption, match="default_first must be true or false"):
        optimizer("rs", SPACE, default_first=wrong)


def test_an_object_takes_no_options():
    with pytest.raises(InvalidOption, match="default_first"):
        run("branin", optimizer("rs", SPACE), options={"default_first": True})
