"""Names of the instances, what a list says of them, and what is refused."""

import pytest

from hpo_core import Benchmark, benchmarks
from hpo_core.errors import InvalidBudget, InvalidConfig, InvalidOption, UnknownName
from hpo_core.facts import facts_of
from hpo_core.space import Condition
from hpo_leaderboard.experiments.members import expand, members_of
from hpo_leaderboard.experiments.suite import open_suite
from tabular.yahpo.scenarios import SCENARIOS
from tabular.yahpo.surrogate import open_surrogate

TREE = {"alpha": 1.0, "booster": "gbtree", "lambda": 1.0, "nrounds": 100, "num.impute.selected.cpo": "impute.mean"}
TREE |= {"subsample": 0.5, "colsample_bylevel": 0.5, "colsample_bytree": 0.5, "eta": 0.1, "gamma": 0.1, "max_depth": 6}
TREE |= {"min_child_weight": 5.0}


@pytest.mark.parametrize(
    ("family", "n", "n_hyperparameters", "n_conditions", "budgets"),
    [
        ("lcbench", 34, 7, 0, (1, 52)),
        ("rbv2-xgboost", 119, 14, 8, (1 / 27, 1)),
        ("rbv2-rpart", 117, 5, 0, (1 / 27, 1)),
        ("iaml-glmnet", 4, 2, 0, (1 / 27, 1)),
    ],
)
def test_every_instance_is_listed(family, n, n_hyperparameters, n_conditions, budgets):
    names = [name for name, listing in benchmarks().items() if listing.family == family]
    assert len(names) == n and all(name.startswith(f"{family}/") for name in names)
    assert names == sorted(names, key=lambda name: int(name.partition("/")[2]))
    facts = facts_of(family, names[0])
    assert facts.group == f"{family}/*" and facts.optimum and facts.curves and facts.budgets == budgets
    benchmark = Benchmark(names[-1])
    assert (len(benchmark.space), len(benchmark.space.conditions)) == (n_hyperparameters, n_conditions)
    assert (benchmark.budgets[0], benchmark.budgets[-1]) == budgets
    assert benchmark.resumable == (family == "lcbench")


def test_hyperparameters_have_their_own_names_in_the_source_s_order():
    names = Benchmark("lcbench/3945").space.names
    expected = ("batch_size", "learning_rate", "max_dropout", "max_units", "momentum", "num_layers", "weight_decay")
    assert names == expected
    space = Benchmark("rbv2-xgboost/12").space
    assert space.names[:6] == ("alpha", "booster", "lambda", "nrounds", "num.impute.selected.cpo", "subsample")
    trees = {c.child for c in space.conditions if c.values == ("dart", "gbtree")}
    assert trees == {"colsample_bylevel", "colsample_bytree", "eta", "gamma", "max_depth", "min_child_weight"}
    assert Condition("rate_drop", "booster", ("dart",)) in space.conditions
    assert Condition("skip_drop", "booster", ("dart",)) in space.conditions


def test_bounds_are_without_rounding_errors_of_the_source():
    rate = Benchmark("lcbench/3945").space["learning_rate"]
    assert (rate.low, rate.high) == (1e-4, 0.1)  # 0.00010000000000000009 and 0.10000000000000002 in the source


@pytest.mark.parametrize("name", ["lcbench/3946", "lcbench/", "lcbench", "lcbench/03945", "lcbench/3945/1"])
def test_an_unknown_instance_says_how_to_list_them(name):
    with pytest.raises(UnknownName, match="`hpo list --family lcbench` shows the 34"):
        Benchmark(name)


@pytest.mark.parametrize(
    ("name", "numbers"), [("rbv2-xgboost/13", "12, 14, 11"), ("lcbench/3946", "3945, 7593"), ("iaml-glmnet/2", "1067")]
)
def test_the_nearest_instances_are_named(name, numbers):
    with pytest.raises(UnknownName, match=f"the nearest are {numbers}"):
        Benchmark(name)


def test_there_are_no_options():
    with pytest.raises(InvalidOption, match="'lcbench/3945' has no option 'noise'"):
        Benchmark("lcbench/3945", noise=True)


def test_conditions_are_checked():
    b = Benchmark("rbv2-xgboost/12")
    assert 0 <= b.objective(TREE).loss <= 1
    with pytest.raises(InvalidConfig, match="'rate_drop' is switched off here"):
        b.objective({**TREE, "rate_drop": 0.5})
    with pytest.raises(InvalidConfig, match="'rate_drop' is missing"):
        b.objective({**TREE, "booster": "dart"})
    with pytest.raises(InvalidConfig, match="'colsample_bylevel' is switched off here"):
        b.objective({**TREE, "booster": "gblinear"})


def test_budgets_are_a_range_for_subsets_and_epochs_are_whole():
    b = Benchmark("rbv2-xgboost/12")
    assert b.objective(TREE, 0.5).budget == 0.5 and b.objective(TREE, 0.03).budget == 0.03
    assert b.objective(TREE, 1) == b.objective(TREE) == b.objective(TREE, 1.0)
    losses = [b.objective(TREE, budget).loss for budget in (0.1, 0.1000001, 0.2)]
    assert losses[0] == pytest.approx(losses[1], abs=1e-4) and losses[0] > losses[2]
    for budget in (0.029, 1.01, 0):
        with pytest.raises(InvalidBudget, match=r"must be a number in \[0.03, 1.0\] \(None for the full budget\), got"):
            b.objective(TREE, budget)
    curve = Benchmark("lcbench/3945")
    with pytest.raises(InvalidBudget, match=r"must be one of 1\.\.52"):
        curve.objective(curve.space.decode(curve.space.from_unit([[0.5] * 7]))[0], 2.5)


@pytest.mark.parametrize("family", SCENARIOS)
def test_a_suite_s_pattern_is_all_instances(family):
    expanded = expand(members_of([f"{family}/*"]), benchmarks())
    assert [member.name for member in expanded] == [f"{family}/{i}" for i in SCENARIOS[family].instances]


def test_the_suites_hold_what_they_say():
    suites = {name: [m.name for m in open_suite(name).benchmarks] for name in ("rbv2-xgboost", "rbv2-rpart")}
    records = open_surrogate("rbv2-xgboost").records
    plausible = [
        f"rbv2-xgboost/{instance}"
        for instance in SCENARIOS["rbv2-xgboost"].instances
        if not (records[instance].extrapolated or records[instance].optimum_extrapolated)
        and records[instance].agreeing > 1
        and records[instance].optimum > 1e-3
    ]
    assert suites["rbv2-xgboost"] == plausible
    assert suites["rbv2-rpart"] == [f"rbv2-rpart/{instance}" for instance in SCENARIOS["rbv2-rpart"].instances[::6]]


def test_runs_of_the_official_suite_have_its_length():
    members = open_suite("yahpo-so").benchmarks
    assert len(members) == 9
    for member in members:
        assert member.n_trials == int(20 + 40 * len(Benchmark(member.name).space) ** 0.5)
