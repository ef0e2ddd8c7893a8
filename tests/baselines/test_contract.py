"""What every optimizer must do, whoever wrote it: each test runs over all that are registered."""

import json
import math
import pickle
import random

import numpy as np
import pytest

from baselines import optimizer, optimizers, register_optimizer
from hpo_core import (
    Benchmark,
    Categorical,
    Condition,
    Constant,
    Float,
    Forbidden,
    ForbiddenRelation,
    Int,
    Ordinal,
    Proposal,
    Result,
    SimpleProblem,
    Space,
    run,
)
from hpo_core.errors import InvalidBudget, InvalidOption, InvalidSeed, MissingExtra, UnknownName, UnsupportedSpace
from hpo_core.running.optimizer import InvalidLoss, UnknownProposal

BUDGETS = (1, 3, 9, 27)
MIXED = Space(
    [
        Float("lr", 1e-5, 1e-1, log=True),
        Float("dropout", 0.0, 0.9),
        Int("units", 16, 512, log=True),
        Int("layers", 1, 4),
        Ordinal("batch_size", [8, 16, 32]),
        Categorical("activation", ["relu", "tanh", "elu"]),
    ]
)
DISCRETE = Space([Ordinal("o", [1, 2, 5, 10]), Categorical("c", ["x", "y", "z"]), Int("i", 0, 9), Constant("k", 7)])
SMALL = Space([Ordinal("o", [1, 2, 3, 4]), Categorical("c", ["x", "y", "z"])])
POINT = Space([Constant("a", 1), Constant("b", "x")])
LINE = Space([Float("x", -1.0, 1.0)])
WEIGHTED = Space([Categorical("c", ["x", "y", "z"], weights=[8, 1, 1]), Int("i", 0, 3)])
CONDITIONAL = Space(
    [Categorical("kernel", ["rbf", "linear"]), Float("gamma", 0.1, 10.0)], [Condition("gamma", "kernel", ("rbf",))]
)
CONDITIONAL_DEEP = Space(
    [
        Categorical("model", ["svm", "net"]),
        Float("scale", 0.1, 10.0, log=True),
        Categorical("kernel", ["linear", "rbf", "poly"]),
        Float("gamma", 1e-3, 10.0, log=True),
        Int("degree", 2, 5),
        Int("layers", 1, 3),
        Ordinal("units", [16, 32, 64]),
        Categorical("solver", ["adam", "sgd"]),
        Float("momentum", 0.0, 0.99),
        Constant("nesterov", True),
    ],
    [
        Condition("kernel", "model", ("svm",)),
        Condition("gamma", "kernel", ("rbf", "poly")),
        Condition("degree", "kernel", ("poly",)),
        Condition("layers", "model", ("net",)),
        Condition("units", "layers", (2, 3)),
        Condition("solver", "model", ("net",)),
        Condition("momentum", "solver", ("sgd",)),
        Condition("momentum", "layers", (2, 3)),
        Condition("nesterov", "solver", ("sgd",)),
    ],
)
FORBIDDEN = Space(
    [
        Int("min_split", 2, 20),
        Int("min_leaf", 1, 20),
        Float("c", 1e-3, 10.0, log=True),
        Categorical("solver", ["lbfgs", "saga"]),
        Categorical("penalty", ["l1", "l2"]),
    ],
    forbidden=[
        ForbiddenRelation("min_leaf", ">", "min_split"),
        Forbidden({"solver": ["lbfgs"], "penalty": ["l1"]}),
    ],
)
LISTED = Space(MIXED, listed=MIXED.sample(np.random.default_rng(0), 40))
LISTED_CONDITIONAL = Space(
    CONDITIONAL_DEEP, CONDITIONAL_DEEP.conditions, listed=CONDITIONAL_DEEP.sample(np.random.default_rng(0), 40)
)
MODELLED = ("gp", "gp-ucb", "gp-acquisition", "gp-warped", "turbo", "smac", "bore", "cqr", "lcnet-hb", "mobster")
BELIEVED = {
    "mixed": MIXED.with_prior({"lr": (1e-3, "normal", 0.1), "units": ("beta", 5, 2), "activation": {"elu": 0.9}}),
    "discrete": DISCRETE.with_prior({"o": (5, "normal", 0.2), "c": {"y": 1.0}}),
    "conditional": CONDITIONAL_DEEP.with_prior(
        {"model": {"net": 0.7}, "kernel": {"poly": 0.8}, "layers": (3, "normal", 0.3)}
    ),
    "forbidden": FORBIDDEN.with_prior(
        {"min_leaf": (15, "normal", 0.2), "solver": {"lbfgs": 0.9}, "penalty": {"l1": 0.9}}
    ),
    "listed": LISTED.with_prior({"activation": {"elu": 0.9}, "lr": (1e-3, "normal", 0.1)}),
}
INFORMED = ("es", "mtbo", "fabolas", "boca", "bohamiann", "mt-bohamiann", "dngo")
ONCE = ("tpe", "tpe-univariate", *MODELLED[:-2], *INFORMED, "lc-gp", "bo-bos")  # as long as it can; not the last two
CHOOSY = ("boca",)  # takes the cheapest budget that says enough, so one may never be it
GROWING = ("pasha",)  # reaches the full budget only if rankings at smaller ones change
STEPWISE = ("lc-gp", "bo-bos", "optuna-hyperband", "optuna-median")  # four trials make one training
SHORT_CHAINS = {"units": 10, "n_chains": 2, "n_adapt": 10, "n_draws": 3, "n_between": 5}
SHORT_SEARCH = {"acq_optimizer_kwargs": {"n_points": 500, "n_restarts_optimizer": 2}}
OPTIONS = {
    "bohamiann": SHORT_CHAINS,
    "mt-bohamiann": SHORT_CHAINS,
    "lcnet-hb": {"units": 5},
    "skopt-gp": SHORT_SEARCH,
}
REFUSED = {
    "reinforce": (MIXED, LINE, CONDITIONAL),
    "cmaes": (LINE,),
    "optuna-tpe": (POINT,),
    "optuna-gp": (POINT,),
    "optuna-cmaes": (POINT,),
    "optuna-hyperband": (POINT,),
    "optuna-median": (POINT,),
    "hyperopt-tpe": (POINT,),
    "smac3": (POINT,),
    "smac3-mf": (POINT,),
    "skopt-gp": (POINT,),
    "nevergrad-ngopt": (POINT,),
}
SPACES = {
    "mixed": MIXED,
    "discrete": DISCRETE,
    "small": SMALL,
    "point": POINT,
    "line": LINE,
    "weighted": WEIGHTED,
    "conditional": CONDITIONAL_DEEP,
    "forbidden": FORBIDDEN,
    "listed": LISTED,
    "listed-conditional": LISTED_CONDITIONAL,
}
ALL_FOUR = ("conditional", "forbidden", "listed", "listed-conditional")
NOT_TAKEN = {"reinforce": ALL_FOUR}  # spaces of `SPACES` that an optimizer cannot search: it takes no floats

NAMES = [name for name, entry in optimizers().items() if isinstance(entry.target, str)]
SLOW_LIBRARIES = ("optuna-gp", "skopt-gp", "smac3", "smac3-mf")
SLOW_MODELS = ("boca", "dngo", "es", "fabolas", "gp-ucb", "lcnet-hb", "mobster", "mt-bohamiann", "mtbo")
SLOW_MODELS += ("cqr", "gp-acquisition", "gp-warped", "turbo")
SLOW = ("bo-bos", *SLOW_MODELS, *SLOW_LIBRARIES)


def parameters(cases):
    """Cases that begin with a name, marked as slow where its optimizer is; ids are the case's words."""
    return [
        pytest.param(*values, id=label, marks=[pytest.mark.slow] if values[0] in SLOW else [])
        for label, *values in cases
    ]


everyone = pytest.mark.parametrize("name", parameters((name, name) for name in NAMES))


def build(name, space=DISCRETE, seed=0, budgets=BUDGETS, **options):
    """The optimizer; skips the test if its library is not installed."""
    try:
        return optimizer(name, space, budgets, seed, **OPTIONS.get(name, {}), **options)
    except MissingExtra as error:
        pytest.skip(str(error))


def n_trials(name):
    """Trials of a test; models take milliseconds for each, and the libraries of others up to half a second."""
    if name in STEPWISE:
        return 60
    if name in INFORMED:
        return 15
    if name in MODELLED:
        return 40
    return 12 if ".adapters." in str(optimizers()[name].target) else 130


def loss_of(config):
    return sum(math.sin(3 * i) + len(str(value)) / 7 for i, value in enumerate(config.values()))


def benchmark(space, evaluate=None):
    def smooth(config, budget, seed):
        noise = (seed % 1000) / 1e4
        return Result(loss_of(config) + noise + 1 / budget, budget * (1 + (seed % 7)), budget, {})

    return Benchmark(SimpleProblem("contract", space, evaluate or smooth, budgets=BUDGETS))


@everyone
def test_the_same_seed_gives_an_equal_run(name):
    b = benchmark(DISCRETE)  # with five workers; with one, the runs of the next test must be equal
    first, again, other = (
        run(b, build(name, seed=seed), n_trials=n_trials(name), seed=1, workers=5) for seed in (3, 3, 4)
    )
    assert first == again
    if name != "grid":
        assert first != other


@everyone
def test_global_random_state_is_neither_used_nor_touched(name):
    b = benchmark(DISCRETE)
    runs = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        before = np.random.get_state()[1].tolist(), random.getstate()  # noqa: NPY002
        runs.append(run(b, build(name), n_trials=n_trials(name)))
        assert (np.random.get_state()[1].tolist(), random.getstate()) == before  # noqa: NPY002
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    ("name", "space"),
    parameters(
        (f"{label}-{name}", name, space)
        for name in NAMES
        for label, space in SPACES.items()
        if not any(space is refused for refused in REFUSED.get(name, ())) and label not in NOT_TAKEN.get(name, ())
    ),
)
def test_proposals_lie_in_the_space_as_plain_values(name, space):
    r = run(benchmark(space), build(name, space), n_trials=n_trials(name), workers=3)
    for trial in r.trials:
        assert trial.config == space.check(trial.config)
        assert json.loads(json.dumps(trial.config)) == trial.config
        assert trial.proposal.budget is None or trial.proposal.budget in BUDGETS
    assert len(r.trials) == n_trials(name) or r.reason.startswith("exhausted")


@pytest.mark.parametrize(
    ("name", "space"),
    parameters(
        (f"{label}-{name}", name, SPACES[label])
        for name in NAMES
        for label in ALL_FOUR
        if label not in NOT_TAKEN.get(name, ())
    ),
)
def test_shaped_spaces_are_searched_alike_again_and_whatever_fails(name, space):
    def evaluate(config, budget, seed):
        if seed % 100 < 30:
            raise RuntimeError("diverged")
        return Result(loss_of(config) + 1 / budget, 1.0, budget, {})

    b, n = benchmark(space, evaluate), 10 if name in INFORMED else n_trials(name) // 2
    first, again = (run(b, build(name, space, seed=5), n_trials=n, workers=5) for _ in range(2))
    assert first == again
    for trial in first.trials:
        assert trial.config == space.check(trial.config)


@pytest.mark.parametrize(
    ("name", "space"),
    parameters(
        (f"{label}-{name}", name, space)
        for name in NAMES
        for label, space in BELIEVED.items()
        if label == "discrete" or name not in REFUSED
        if ".adapters." not in str(optimizers()[name].target) or label == "mixed"
    ),
)
def test_a_prior_leads_to_its_mode_first_and_to_configurations_of_the_space(name, space):
    n = 6 if name in (*INFORMED, *MODELLED) or ".adapters." in str(optimizers()[name].target) else 25
    first, again = (run(benchmark(space), build(name, space, default_first=True), n_trials=n, workers=3) for _ in "ab")
    assert first == again
    for trial in first.trials:
        assert trial.config == space.check(trial.config)
    start = min(first.trials, key=lambda trial: trial.step)
    assert space.to_unit(space.encode(start.config)) == pytest.approx(
        space.to_unit(space.encode(space.prior.mode)), abs=1e-9, nan_ok=True
    )


@pytest.mark.parametrize("space", [LISTED, LISTED_CONDITIONAL], ids=["listed", "listed-conditional"])
@pytest.mark.parametrize("name", parameters((name, name) for name in NAMES if name in ONCE))
def test_no_listed_configuration_is_proposed_twice_at_a_budget(name, space):
    n = n_trials(name) if name in STEPWISE else min(n_trials(name), space.size)  # of the list, or of 15 trainings
    r = run(benchmark(space), build(name, space), n_trials=n, workers=3)
    proposed = [(tuple(trial.config.items()), trial.proposal.budget) for trial in r.trials]
    assert len(set(proposed)) == len(proposed) == n


@everyone
def test_a_finite_space_is_exhausted_without_hanging(name):
    n = 2 * n_trials(name)  # more than the space has
    r = run(benchmark(SMALL), build(name, SMALL), n_trials=n)
    seen = {tuple(trial.config.items()) for trial in r.trials}
    if len(r.trials) < n:
        assert r.reason.startswith("exhausted")
        assert len(seen) == SMALL.size
    assert len(seen) > 1


@everyone
def test_many_may_be_pending_and_are_told_in_any_order(name):
    o = build(name, MIXED if MIXED not in REFUSED.get(name, ()) else DISCRETE)
    rng = np.random.default_rng(0)
    for _ in range(3):
        pending = []
        while len(pending) < n_trials(name) // 3 and (proposal := o.ask()) is not None:
            pending.append(proposal)
        assert pending  # None with nothing pending would end the run
        for index in rng.permutation(len(pending)):
            o.tell(pending[index], loss_of(pending[index].config), 1.0)


@everyone
def test_only_what_was_asked_for_can_be_told_and_once(name):
    o = build(name)
    proposal = o.ask()
    with pytest.raises(UnknownProposal, match="never asked for"):
        o.tell(Proposal({**proposal.config, "i": -5}, proposal.budget), 0.5, 1.0)
    o.tell(proposal, 0.5, 1.0)
    with pytest.raises(UnknownProposal, match="told already"):
        o.tell(proposal, 0.5, 1.0)


@everyone
@pytest.mark.parametrize("loss", [math.nan, -math.inf])
def test_a_loss_that_is_none_is_refused_and_the_proposal_stays_pending(name, loss):
    o = build(name)
    proposal = o.ask()
    with pytest.raises(InvalidLoss, match=r"math\.inf for a trial that failed"):
        o.tell(proposal, loss, 1.0)
    o.tell(proposal, 0.5, 1.0)


@everyone
def test_a_proposal_is_known_again_after_a_trip_through_a_process(name):
    o = build(name)
    for _ in range(5):
        proposal = pickle.loads(pickle.dumps(o.ask()))
        o.tell(proposal, loss_of(proposal.config), 1.0)


@everyone
@pytest.mark.parametrize("share", [0.3, 1.0])
def test_failures_do_not_stop_an_optimizer(name, share):
    def evaluate(config, budget, seed):
        if seed % 100 < share * 100:
            raise RuntimeError("diverged")
        return Result(loss_of(config), 1.0, budget, {})

    r = run(benchmark(DISCRETE, evaluate), build(name), n_trials=n_trials(name), workers=3)
    assert len(r.trials) == n_trials(name) or name == "grid"
    failed = [trial for trial in r.trials if trial.failure is not None]
    assert len(failed) == len(r.trials) if share == 1.0 else 0 < len(failed) < len(r.trials)


@everyone
def test_conditional_spaces_are_taken_or_refused_by_name(name):
    if CONDITIONAL in REFUSED.get(name, ()):
        with pytest.raises(UnsupportedSpace, match=f"'{name}'"):
            optimizer(name, CONDITIONAL, BUDGETS)
        return
    r = run(benchmark(CONDITIONAL), build(name, CONDITIONAL), n_trials=n_trials(name))
    assert {"gamma" in trial.config for trial in r.trials} == {True, False}
    for trial in r.trials:
        CONDITIONAL.check(trial.config)


@pytest.mark.parametrize(("name", "space"), [(name, space) for name, spaces in REFUSED.items() for space in spaces])
def test_what_is_refused_is_refused_by_name(name, space):
    try:
        optimizer(name, space, BUDGETS)
    except MissingExtra as error:
        pytest.skip(str(error))
    except UnsupportedSpace as error:
        assert f"'{name}'" in str(error)
    else:
        pytest.fail(f"{name} took a space that it should refuse")


@everyone
def test_only_multi_fidelity_methods_need_several_budgets(name):
    if optimizers()[name].multi_fidelity:
        with pytest.raises(InvalidBudget, match="at least two budgets"):
            build(name, budgets=(1,))
        n = 45 if name in SLOW else 130  # 40 are a bracket of Hyperband, which has all budgets
        budgets = {trial.budget for trial in run(benchmark(DISCRETE), build(name), n_trials=n).trials}
        if name in CHOOSY:
            assert BUDGETS[-1] in budgets and len(budgets) > 1
        elif name in GROWING:
            assert set(BUDGETS[:2]) <= budgets
        else:
            assert budgets == set(BUDGETS)
    else:
        assert build(name, budgets=(1,)).ask().budget is None


@everyone
def test_unknown_options_are_answered_with_the_nearest_name(name):
    with pytest.raises(InvalidOption, match=f"'{name}' has no option 'populatoin'"):
        build(name, populatoin=3)
    with pytest.raises(InvalidSeed):
        build(name, seed=-1)


@everyone
def test_an_optimizer_says_what_it_is(name):
    entry = optimizers()[name]
    assert entry.summary
    assert build(name).name == name


def test_the_nearest_option_is_named():
    with pytest.raises(InvalidOption, match="did you mean population"):
        optimizer("re", DISCRETE, populatoin=3)


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean cmaes"):
        optimizer("cma-es", DISCRETE)


class Mine:
    def __init__(self, space, *, budgets=(1,), seed=0, offset=0):
        self.space, self.rng, self.offset = space, np.random.default_rng(seed + offset), offset

    def ask(self):
        return Proposal(self.space.sample(self.rng))

    def tell(self, proposal, loss, cost):
        pass


@pytest.fixture
def mine(monkeypatch):
    monkeypatch.setattr("baselines.registry._ENTRIES", optimizers())
    register_optimizer("mine", Mine, summary="your own class")


def test_your_own_class_runs_by_name(mine):
    assert "mine" in optimizers()
    assert run("branin", "mine", n_trials=5).optimizer == "mine"
    assert optimizer("mine", DISCRETE, offset=3).offset == 3
    with pytest.raises(InvalidOption, match="did you mean offset"):
        optimizer("mine", DISCRETE, ofset=3)


def test_registering_twice_is_fine_for_the_same_class_only(mine):
    register_optimizer("mine", Mine)
    with pytest.raises(InvalidOption, match="registered already"):
        register_optimizer("mine", lambda space, budgets, seed: None)
    with pytest.raises(InvalidOption, match="registered already"):
        register_optimizer("rs", Mine)
    with pytest.raises(InvalidOption, match="must be callable"):
        register_optimizer("yours", 3)
