"""Calls of the API with hostile arguments: `cases` makes any number of them from a seed.

A call of `CALLS` has sound arguments; one or two of them are replaced by what nobody should pass. What comes back must
be right as far as it can be told: proposals are configurations of their space, runs have finite losses or say why not.
"""

import math
from functools import partial
from pathlib import Path

import numpy as np
from sandbox import Case

import hpo_foundry as hpo
from baselines import criterion, optimizer, register_optimizer
from hpo_core.errors import HpoError

ODD = (
    *(None, True, False, 0, 1, -1, 2, 1.5, -0.0, math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 2**53, 2**64),
    *(-(2**64), 10**400, 1 + 2j, "", "x", "branin", "\x1b[31m", "\ud800", "a" * 5000, "../../x", b"x"),
    *([], [None], [1, 2], ["x1"], [[]], (), ("a", "b"), {}, {"a": 1}, {"x1": None}, {1: 2}, set(), {"x"}, range(3)),
    *(np.array([]), np.array([1.0, np.nan]), np.array(["a"]), np.zeros((2, 2)), np.float64("nan"), np.int64(3)),
    *(np.bool_(True), np.random.default_rng(0), object(), object, print, len, lambda *a, **k: 5, lambda: None),
    *(Path("x"), Path("/"), iter([1]), Ellipsis, NotImplemented, slice(1), memoryview(b"x"), bytearray(b"x")),
)
SPACE = hpo.Space([hpo.Float("x1", 0.0, 1.0), hpo.Int("n", 1, 9), hpo.Categorical("c", ["a", "b", "c"])])
CONFIG = {"x1": 0.5, "n": 3, "c": "a"}
QUICK = ("rs", "grid", "re", "de", "tpe", "tpe-univariate", "sh", "hyperband", "asha", "bohb", "smac", "gp")
TRIALS = hpo.run("branin", "rs", n_trials=30).trials
BRANIN = hpo.Benchmark("branin")


def _evaluate(returned):
    """A problem whose function returns something, run for three trials."""
    problem = hpo.SimpleProblem("mine", SPACE, lambda config, budget, seed: returned)
    return _checked(hpo.run(problem, "rs", n_trials=3))


def _result(**fields):
    return _evaluate(hpo.Result(**fields))


class _Asked:
    def __init__(self, returned):
        self._returned = returned

    def ask(self):
        return self._returned

    def tell(self, proposal, loss, cost):
        pass


def _ask(returned):
    """An optimizer whose `ask` returns something."""
    return _checked(hpo.run("branin", _Asked(returned), n_trials=3))


def _ask_proposal(config, budget):
    return _ask(hpo.Proposal(config, budget))


def _criterion_returns(returned):
    return hpo.run("branin", "rs", n_trials=3, stop=lambda trials: returned)


def _checked(run):
    for trial in run.trials:
        if trial.failure is None and not math.isfinite(trial.loss):
            raise ValueError(f"a loss of {trial.loss!r} without a failure")
    return run


def _loop(name, space=SPACE, budgets=(1, 3), seed=0, loss=0.5, cost=1.0, **options):
    """`ask` and `tell` twelve times."""
    made = optimizer(name, space, budgets=budgets, seed=seed, **options)
    for _ in range(12):
        proposal = made.ask()
        if proposal is None:
            return
        space.check(proposal.config)
        made.tell(proposal, loss, cost)


def _tell(name, proposal, loss, cost):
    made = optimizer(name, SPACE, budgets=(1, 3), seed=0)
    made.tell(made.ask() if isinstance(proposal, str) else proposal, loss, cost)


def _spaced(**given):
    """A space of a hyperparameter, sampled and written down in all ways."""
    kind = given.pop("kind")
    space = hpo.Space([getattr(hpo, kind)(**given)])
    codes = space.encode(space.sample(np.random.default_rng(0), 3))
    space.decode(codes)
    if not (np.isfinite(space.to_unit(codes)).all() and np.isfinite(space.from_unit(space.to_unit(codes))).all()):
        raise ValueError("a position that is not finite")
    _loop("tpe", space)


def _believed(centre, kind, std, weights):
    """A space with a prior, sampled, and searched by an optimizer that begins with its mode."""
    space = SPACE.with_prior({"x1": (centre, kind, std), "c": weights})
    if not np.isfinite(space.prior.log_density(space.encode(space.sample(np.random.default_rng(0), 3)))).all():
        raise ValueError("a draw without density")
    _loop("priorband", space, default_first=True)


def _criterion_called(text, trials):
    return criterion(text, BRANIN.space)(trials)


CALLS = {
    "Float": (partial(_spaced, kind="Float"), {"name": "a", "low": 0.1, "high": 1.0, "log": False, "default": 0.5}),
    "Int": (partial(_spaced, kind="Int"), {"name": "a", "low": 1, "high": 9, "log": False, "default": 5}),
    "Ordinal": (partial(_spaced, kind="Ordinal"), {"name": "a", "values": [1, 2, 3], "default": 2}),
    "Categorical": (
        partial(_spaced, kind="Categorical"),
        {"name": "a", "values": ["a", "b"], "default": "b", "weights": [1, 2]},
    ),
    "Constant": (hpo.Constant, {"name": "a", "value": 1}),
    "Space": (
        hpo.Space,
        {"hyperparameters": [hpo.Float("x", 0, 1)], "conditions": (), "name": "s", "forbidden": (), "listed": None},
    ),
    "Condition": (
        lambda child, parent, values: hpo.Space(SPACE, [hpo.Condition(child, parent, values)]),
        {"child": "c", "parent": "n", "values": (1,)},
    ),
    "Forbidden": (lambda terms: hpo.Space(SPACE, forbidden=[hpo.Forbidden(terms)]), {"terms": {"c": ["a"]}}),
    "ForbiddenRelation": (
        lambda left, relation, right: hpo.Space(SPACE, forbidden=[hpo.ForbiddenRelation(left, relation, right)]),
        {"left": "n", "relation": ">", "right": "x1"},
    ),
    "prior": (_believed, {"centre": 0.3, "kind": "normal", "std": 0.1, "weights": {"a": 0.5}}),
    "with_prior": (SPACE.with_prior, {"prior": {"n": ("beta", 2, 3)}}),
    "starting_with": (SPACE.starting_with, {"config": CONFIG}),
    "check": (SPACE.check, {"config": CONFIG}),
    "check x1": (lambda x1, n, c: SPACE.check({"x1": x1, "n": n, "c": c}), CONFIG),
    "encode": (SPACE.encode, {"configs": [CONFIG]}),
    "decode": (SPACE.decode, {"codes": SPACE.encode([CONFIG])}),
    "sample": (SPACE.sample, {"rng": np.random.default_rng(0), "n": 3}),
    "Benchmark": (hpo.Benchmark, {"problem": "branin", "nearest_budget": False}),
    "objective": (BRANIN.objective, {"config": {"x1": 0.0, "x2": 1.0}, "budget": None, "seed": None}),
    "objective_batch": (BRANIN.objective_batch, {"codes": np.zeros((2, 2)), "budget": None, "seeds": None}),
    "curve": (BRANIN.curve, {"config": {"x1": 0.0, "x2": 1.0}, "seed": None}),
    "SimpleProblem": (
        lambda **given: hpo.run(hpo.SimpleProblem(**given), "rs", n_trials=2),
        {
            **{"name": "p", "space": SPACE, "evaluate": lambda config, budget, seed: hpo.Result(1.0, 1.0, 1, {})},
            **{"budgets": (1,), "optimum": None, "noise_free_is_cheap": False, "resumable": True, "budget_range": None},
        },
    ),
    "result": (_result, {"loss": 0.5, "cost": 1.0, "budget": 1, "info": {}}),
    "objective returns": (_evaluate, {"returned": hpo.Result(0.5, 1.0, 1, {})}),
    "ask returns": (_ask, {"returned": None}),
    "ask proposes": (_ask_proposal, {"config": {"x1": 0.0, "x2": 1.0}, "budget": None}),
    "criterion returns": (_criterion_returns, {"returned": None}),
    "run": (
        lambda **given: _checked(hpo.run(**given)),
        {
            **{"benchmark": "branin", "optimizer": "rs", "n_trials": 3, "max_cost": None, "stop": None, "seed": 0},
            **{"workers": 1, "resume": None, "on_failure": "continue", "options": None},
        },
    ),
    "optimizer": (_loop, {"name": "rs", "space": SPACE, "budgets": (1, 3), "seed": 0, "loss": 0.5, "cost": 1.0}),
    "tell": (_tell, {"name": "re", "proposal": "asked", "loss": 0.5, "cost": 1.0}),
    "register_optimizer": (register_optimizer, {"name": "mine", "factory": _Asked, "summary": "", "paper": ""}),
    "criterion": (lambda text, trials: _criterion_called(text, trials), {"text": "conv:5", "trials": TRIALS}),
    "criterion options": (
        lambda threshold, warm_up: criterion("ei", BRANIN.space, threshold=threshold, warm_up=warm_up)(TRIALS),
        {"threshold": 0.1, "warm_up": 20},
    ),
    "make_suite": (
        hpo.make_suite,
        {"benchmarks": ["branin"], "optimizers": ["rs"], "n_seeds": 1, "n_trials": 3, "name": "s"},
    ),
    "open_suite": (hpo.open_suite, {"name": "quick", "allow_import": False}),
    "noisy": (
        lambda problem, std: hpo.run(hpo.noisy(problem, std), "rs", n_trials=2),
        {"problem": "branin", "std": 0.1},
    ),
    "shifted": (
        lambda problem, shift: hpo.run(hpo.shifted(problem, shift), "rs", n_trials=2),
        {"problem": "branin", "shift": {"x1": 0.1}},
    ),
    "subset": (
        lambda problem, values: hpo.run(hpo.subset(problem, values), "rs", n_trials=2),
        {"problem": "branin", "values": {"x1": 0.0}},
    ),
    "with_budgets": (
        lambda problem, budgets: hpo.run(hpo.with_budgets(problem, budgets), "rs", n_trials=2),
        {"problem": "counting-ones-8-8", "budgets": (36,)},
    ),
    "open_table": (hpo.open_table, {"name": "mini-none"}),
}
OPTIMIZERS = {
    f"optimizer {name}": (
        partial(_loop, name),
        {"space": SPACE, "budgets": (1, 3), "seed": 0, "loss": 0.5, "cost": 1.0},
    )
    for name in QUICK
}


def cases(folder: Path, rng: np.random.Generator, n: int):
    """n cases; every call comes in turn."""
    calls = {**CALLS, **OPTIMIZERS}
    names = list(calls)
    for i in range(n):
        call, sound = calls[names[i % len(names)]]
        given = dict(sound)
        for key in rng.permutation(list(sound))[: 1 + int(rng.random() < 0.2)]:
            given[str(key)] = ODD[int(rng.integers(len(ODD)))]
        changed = {key: value for key, value in given.items() if value is not sound[key]}
        yield Case(f"{names[i % len(names)]}: {changed!r:.200}", partial(_called, call, given))


def _called(call, given):
    """Call something that may refuse its arguments with an error of ours."""
    try:
        return call(**given)
    except HpoError as error:
        if not str(error).strip():
            raise ValueError(f"{type(error).__name__} without a word") from error
        raise
