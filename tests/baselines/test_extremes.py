"""Every registered optimizer takes extreme losses and ranges, and refuses what it cannot take in clear words."""

import math

import numpy as np
import pytest

from baselines import criterion, optimizer, optimizers
from hpo_core import Categorical, Float, Int, Result, SimpleProblem, Space, noisy, run
from hpo_core.errors import InvalidBudget, InvalidOption, InvalidProblem, InvalidSpace, UnknownName, UnsupportedSpace
from hpo_core.running.optimizer import InvalidLoss
from tabular import open_table

SPACE = Space([Float("x", 0.0, 1.0), Categorical("c", "ab"), Int("n", 1, 9)])
SHORT = {"units": 5, "n_adapt": 5, "n_draws": 2, "n_between": 2}
OPTIONS = {"bohamiann": SHORT, "mt-bohamiann": SHORT, "lcnet-hb": {"units": 5}}
SLOW = ("optuna-gp", "smac3", "smac3-mf")  # their models take seconds; the first two were tried by hand
NAMES = [name for name in optimizers() if name not in (*SLOW, "reinforce")]
LOSSES = {"both": [1e308, -1e308, 5.0], "largest": [1.79e308, 1.7e308], "smallest": [5e-324, -5e-324, 0.0]}


@pytest.mark.parametrize("losses", LOSSES)
@pytest.mark.parametrize("name", NAMES)
def test_extreme_losses_do_not_end_a_run(name, losses):
    made = optimizer(name, SPACE, budgets=(1, 3, 9), seed=0, **OPTIONS.get(name, {}))
    for step in range(15 if name == "lcnet-hb" else 8):
        proposal = made.ask()
        SPACE.check(proposal.config)
        made.tell(proposal, LOSSES[losses][step % len(LOSSES[losses])], 1.0)


@pytest.mark.parametrize("text", ["ei:1e-9", "pi:1e-9", "regret-bound:1e-9"])
def test_criteria_take_extreme_losses(text):
    made = criterion(text, SPACE)
    for losses in LOSSES.values():
        trials = run(SimpleProblem("p", SPACE, lambda *_: Result(1.0, 1.0, 1, {})), "rs", n_trials=25).trials
        given = [t._replace(result=t.result._replace(loss=losses[k % len(losses)])) for k, t in enumerate(trials)]
        assert isinstance(made.status(given), str)


@pytest.mark.parametrize("name", NAMES)
def test_the_largest_ranges_are_searched(name):
    space = Space([Int("n", -(2**52), 2**52), Float("y", 1e-300, 1e300, log=True), Float("z", -8e307, 8e307)])
    made = optimizer(name, space, budgets=(1, 3, 9), seed=0, **OPTIONS.get(name, {}))
    for step in range(8):
        proposal = made.ask()
        space.check(proposal.config)
        made.tell(proposal, step % 3, 1.0)


def test_what_configspace_does_not_take_is_said():
    with pytest.raises(UnsupportedSpace, match="ConfigSpace does not take 'y'"):
        Space([Float("y", 1e-300, 1e300, log=True)]).to_configspace()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Int("n", 0, 10**400), "finite numbers"),
        (lambda: Int("n", 0, 2**64), "within -2\\*\\*53"),
        (lambda: Int("n", -(2**60), 0), "within -2\\*\\*53"),
        (lambda: Float("x", -1.7e308, 1.7e308), "range of at most"),
        (lambda: Float("x", 0, 10**400), "finite numbers"),
        (lambda: Float("x", 0, 1, log=[1]), "True or False"),
        (lambda: Space(5), "must be a list"),
        (lambda: Space(SPACE, 5), "must be a list"),
        (lambda: Space(SPACE, forbidden=5), "must be a list"),
        (lambda: Categorical("c", 5), "must be a list"),
        (lambda: Categorical("c", "ab", weights=["x", "y"]), "one weight"),
    ],
)
def test_spaces_that_cannot_be_are_refused_in_words(make, words):
    with pytest.raises(InvalidSpace, match=words):
        make()


@pytest.mark.parametrize("returned", [None, 5, (0.5, 1.0), "x", {"loss": 1.0}])
def test_an_objective_that_returns_no_result_is_refused(returned):
    with pytest.raises(InvalidProblem, match="must return Result"):
        run(SimpleProblem("p", SPACE, lambda *_: returned), "rs", n_trials=2)


@pytest.mark.parametrize("number", ["x", None, [1.0], 10**400, 1 + 2j])
def test_a_loss_or_cost_that_is_no_number_is_a_failure(number):
    (trial,) = run(SimpleProblem("p", SPACE, lambda *_: Result(number, 1.0, 1, {})), "rs", n_trials=1).trials
    assert trial.failure.startswith("loss was") and trial.loss == math.inf
    (trial,) = run(SimpleProblem("p", SPACE, lambda *_: Result(1.0, number, 1, {})), "rs", n_trials=1).trials
    assert trial.failure.startswith("cost was") and trial.cost == 0.0


class _Asks:
    def __init__(self, returned):
        self.returned = returned

    def ask(self):
        return self.returned

    def tell(self, proposal, loss, cost):
        pass


@pytest.mark.parametrize("returned", [5, {"x": 1.0}, ({"x": 1.0}, None), "x"])
def test_ask_that_returns_no_proposal_is_refused(returned):
    with pytest.raises(InvalidOption, match="must return a Proposal"):
        run("branin", _Asks(returned), n_trials=2)


@pytest.mark.parametrize("loss", ["x", None, [1.0], 10**400, math.nan, -math.inf])
def test_a_loss_that_is_no_number_is_refused_and_the_proposal_stays_pending(loss):
    made = optimizer("re", SPACE)
    proposal = made.ask()
    with pytest.raises(InvalidLoss, match="must be a finite number"):
        made.tell(proposal, loss, 1.0)
    made.tell(proposal, 0.5, 1.0)


def test_spaces_and_budgets_of_the_wrong_type_are_refused():
    with pytest.raises(InvalidOption, match="must be a Space"):
        optimizer("rs", {"x": 1})
    for budgets in (5, "ab", [], [3, 1], [1, None], [1, math.nan]):
        with pytest.raises(InvalidBudget, match="ascending numbers"):
            optimizer("sh", SPACE, budgets=budgets)
    with pytest.raises(InvalidOption, match="completed trials"):
        criterion("conv:2", SPACE)([1, 2, 3])
    with pytest.raises(UnsupportedSpace):
        optimizer("reinforce", SPACE)


def test_sizes_and_names_that_cannot_be_are_refused_before_memory_is_taken():
    with pytest.raises(InvalidOption, match="n must be"):
        SPACE.sample(np.random.default_rng(0), 2**53)
    with pytest.raises(InvalidOption, match=r"numpy\.random\.Generator"):
        SPACE.sample(0, 3)
    with pytest.raises(InvalidOption, match="workers must be at most"):
        run("branin", "rs", n_trials=3, workers=2**53)
    with pytest.raises(InvalidOption, match="options must be"):
        run("branin", "rs", n_trials=3, options=len)
    with pytest.raises(InvalidOption, match="std of the noise"):
        noisy("branin", 10**400)
    with pytest.raises(UnknownName):
        open_table("a" * 5000)
    with pytest.raises(InvalidOption, match="by its name or the path"):
        open_table(5)
