"""Tables from rows: roles of the columns, repetitions, budgets, grids and lists, and rows that make none."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpo_core import Benchmark, Categorical, Condition, Float, Ordinal, Space
from hpo_core.errors import InvalidConfig, InvalidOption, UnknownName
from tabular import read_table, write_table
from tabular.frames.tables import table_from_frame

ROWS = pd.DataFrame(
    {
        "lr": [0.1, 0.2, 0.4, 0.1, 0.8],
        "depth": [1, 2, 1, 1, 7],
        "error": [0.5, 0.25, 0.125, 0.75, 0.3],
        "seconds": [10, 20, 30, 14, 50],
        "n_params": [11, 22, 33, 11, 55],
        "val/auc": [0.1, 0.2, 0.3, 0.4, 0.5],
        "note": list("abcde"),
    }
)
ROLES = {"loss": "error", "cost": "seconds", "config": ["lr", "depth"]}


def grid_rows(budgets=(1, 3, 9), seeds=(0, 1)):
    rng = np.random.default_rng(0)
    cells = itertools.product(["tanh", "relu"], [32, 16, 64], [0.1, 0.01], seeds, budgets)
    rows = [(act, units, lr, seed, budget, rng.random()) for act, units, lr, seed, budget in cells]
    frame = pd.DataFrame(rows, columns=["act", "units", "lr", "seed", "epoch", "err"])
    return frame.sample(frac=1.0, random_state=0, ignore_index=True)


def test_rows_are_looked_up_and_the_same_configuration_is_a_repetition():
    b = Benchmark.from_frame(ROWS, kind="table", name="own", **ROLES)
    assert (b.name, b.space.size, b.problem.table.n_repetitions) == ("own", 4, 2)
    config = {"lr": 0.1, "depth": 1}
    assert b.objective(config, seed=0) == (0.5, 10.0, 1, {"n_params": 11, "val_auc": 0.1})
    assert b.objective(config, seed=1) == (0.75, 14.0, 1, {"n_params": 11, "val_auc": 0.4})
    assert b.objective(config).loss == 0.625
    assert b.objective({"lr": 0.8, "depth": 7}, seed=5) == (0.3, 50.0, 1, {"n_params": 55, "val_auc": 0.5})
    assert b.optimum == 0.125
    assert b.provenance["left_out"] == "note (5 values)"
    with pytest.raises(InvalidConfig, match="listed"):
        b.objective({"lr": 0.3, "depth": 1})


def test_without_costs_an_evaluation_is_a_second():
    table = table_from_frame(ROWS[["lr", "depth", "error"]], loss="error")
    assert np.nanmax(table.columns["cost"]) == np.nanmin(table.columns["cost"]) == 1.0
    assert "1 second for each evaluation" in table.provenance["cost"]
    curves = table_from_frame(grid_rows(), loss="err", budget="epoch", repetition="seed")
    np.testing.assert_array_equal(curves.columns["cost"][3, 1], [1.0, 3.0, 9.0])
    assert "1 second for each unit of epoch" in curves.provenance["cost"]


def test_all_combinations_become_a_grid_in_its_order():
    frame = grid_rows()
    table = table_from_frame(frame, loss="err", budget="epoch", repetition="seed", name="g")
    space = Space([Categorical("act", ["relu", "tanh"]), Ordinal("units", [16, 32, 64]), Ordinal("lr", [0.01, 0.1])])
    assert table.space == space and table.space.listed is None
    assert table.budgets == (1, 3, 9)
    b = Benchmark.from_frame(frame, kind="table", loss="err", budget="epoch", repetition="seed")
    for row in frame.to_dict("records"):
        config = {name: row[name] for name in space.names}
        assert b.objective(config, row["epoch"], seed=row["seed"]).loss == row["err"]


def test_a_grid_with_a_hole_becomes_a_list():
    frame = grid_rows()
    hole = frame[~((frame.act == "relu") & (frame.units == 16) & (frame.lr == 0.1))]
    table = table_from_frame(hole, loss="err", budget="epoch", repetition="seed")
    assert table.space.size == 11
    with pytest.raises(InvalidConfig, match="listed"):
        table.space.check({"act": "relu", "units": 16, "lr": 0.1})


def test_repetitions_have_the_order_of_their_names_and_may_be_fewer():
    rows = [("x", 7, 0.7), ("y", 3, 0.3), ("x", 3, 0.1), ("x", 5, 0.5), ("y", 9, 0.9)]
    table = table_from_frame(pd.DataFrame(rows, columns=["h", "seed", "l"]), loss="l", repetition="seed")
    np.testing.assert_array_equal(table.columns["loss"], [[0.1, 0.5, 0.7], [0.3, 0.9, np.nan]])
    assert table.repetition_counts.tolist() == [3, 2]


@settings(max_examples=40)
@given(st.data())
def test_the_order_of_rows_changes_only_the_order_of_the_list(data):
    frame = grid_rows(seeds=(0, 1, 2)).drop(index=range(3))  # no grid in one budget
    frame = frame[frame.epoch == 3]
    order = data.draw(st.permutations(range(len(frame))))
    one = table_from_frame(frame, loss="err", config=["act", "units", "lr"], repetition="seed")
    other = table_from_frame(frame.iloc[order], loss="err", config=["act", "units", "lr"], repetition="seed")
    places = [other.space.numbering.index(config) for config in one.space.configs()]
    np.testing.assert_array_equal(one.columns["loss"], other.columns["loss"][places])


def test_patterns_name_columns():
    frame = ROWS.rename(columns={"lr": "hp_lr", "depth": "hp_depth"})
    table = table_from_frame(frame, loss="error", config=["hp_*"])
    assert table.space.names == ("hp_lr", "hp_depth")
    with pytest.raises(InvalidOption, match=r"got 'hq_\*'"):
        table_from_frame(frame, loss="error", config=["hq_*"])


def test_columns_whose_names_mean_something_in_a_table_are_renamed():
    frame = pd.DataFrame({"x": [0.1, 0.2], "e": [1.0, 2.0], "loss": [5.0, 6.0], "mean_fit_time": [0.5, 0.25]})
    b = Benchmark.from_frame(frame, kind="table", loss="e", config=["x"])
    assert b.objective({"x": 0.1}).info == {"loss_recorded": 5.0, "fit_time_mean": 0.5}
    assert Benchmark.from_frame(frame, kind="table", loss="loss", config=["x"]).objective({"x": 0.1}).loss == 5.0


def test_a_diverged_training_is_infinite():
    b = Benchmark.from_frame(
        ROWS.assign(error=[0.5, np.inf, 0.1, 0.2, 0.3]), kind="table", loss="error", config=["lr", "depth"]
    )
    assert b.objective({"lr": 0.2, "depth": 2}).loss == np.inf
    assert b.optimum == 0.1


def test_a_given_space_with_conditions():
    space = Space(
        [Categorical("kernel", ["rbf", "linear"]), Float("gamma", 1e-3, 1.0, log=True)],
        [Condition("gamma", "kernel", ("rbf",))],
    )
    frame = pd.DataFrame({"kernel": ["rbf", "linear", "rbf"], "gamma": [0.1, np.nan, 0.5], "e": [1.0, 2.0, 3.0]})
    b = Benchmark.from_frame(frame, kind="table", loss="e", space=space)
    assert b.objective({"kernel": "linear"}).loss == 2.0
    assert b.objective({"kernel": "rbf", "gamma": 0.5}).loss == 3.0
    with pytest.raises(InvalidOption, match="row 2 is not in the given space"):
        Benchmark.from_frame(frame.assign(gamma=0.1), kind="table", loss="e", space=space)
    with pytest.raises(InvalidOption, match=r"space=\.\.\."):
        Benchmark.from_frame(frame, kind="table", loss="e")


def test_a_table_of_rows_survives_its_file(tmp_path):
    for table in (table_from_frame(ROWS, **ROLES), table_from_frame(grid_rows(), loss="err", budget="epoch")):
        write_table(table, tmp_path / "t.h5")
        again = read_table(tmp_path / "t.h5")
        assert again.space == table.space
        for name, array in table.columns.items():
            np.testing.assert_array_equal(again.columns[name], array)


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (lambda f: f, {"loss": "eror"}, "loss must be a column, got 'eror'; did you mean error"),
        (lambda f: f, {"cost": "second"}, "cost must be a column, got 'second'; did you mean seconds"),
        (lambda f: f, {"config": ["lr", "depht"]}, "got 'depht'; did you mean depth"),
        (lambda f: f, {"config": ["lr", "error"]}, "'error' was given two"),
        (lambda f: f, {"config": []}, "needs hyperparameters"),
        (lambda f: f.assign(error=[0.5, None, 0.1, 0.2, 0.3]), {}, "has nan in row 2 .* write inf"),
        (
            lambda f: f.assign(error=["0.5", "?", "0.1", "0.2", "0.3"]),
            {},
            "loss must be a column of numbers.*'\\?' in row 2",
        ),
        (lambda f: f.assign(error=-np.inf), {}, "finite numbers"),
        (lambda f: f.assign(error=0.5), {}, "losses must differ, all 5"),
        (lambda f: f.assign(error=np.inf), {}, "losses must differ"),
        (lambda f: f.assign(seconds=[1, 2, -3, 4, 5]), {}, "cost must be .* >= 0, 'seconds' has -3 in row 3"),
        (lambda f: f.assign(lr=[0.1, None, 0.2, 0.3, 0.4]), {}, "'lr' has none in 1 of 5, first in row 2"),
        (lambda f: f.assign(lr=["0.1", "0.2", "auto", "0.4", "0.5"]), {}, "'lr' has both: 'auto' in row 3"),
        (lambda f: f.assign(lr=1, depth=2), {}, "lr, depth are constant"),
        (lambda f: f.iloc[:1], {}, "at least two evaluations, got 1"),
        (lambda f: f.iloc[:0], {}, "at least two evaluations, got 0"),
        (lambda f: f.assign(epoch=[1, 1, 1, 1, 0]), {"budget": "epoch"}, "budgets must be above 0"),
        (lambda f: f.assign(epoch=[1, 1, 1, 2, 1]), {"budget": "epoch"}, "3 of 4 do not have them: .* has none at 2"),
        (lambda f: f.assign(seed=1), {"repetition": "seed"}, "rows 1 and 4 have the same configuration.* seed 1"),
        (lambda f: f.assign(seed=[1, 2, None, 4, 5]), {"repetition": "seed"}, "row 3 is empty"),
        (lambda f: f.to_dict(), {}, "are a DataFrame"),
    ],
)
def test_rows_that_make_no_table(change, options, words):
    with pytest.raises(InvalidOption, match=words):
        table_from_frame(change(ROWS), **{**ROLES, **options})


def test_budgets_of_some_repetitions_are_missing():
    frame = grid_rows()
    with pytest.raises(InvalidOption, match=r"needs 2 rows at each of the 3 budgets; 1 of 12 .* has 1 at some"):
        table_from_frame(frame.iloc[1:], loss="err", budget="epoch", config=["act", "units", "lr"])


def test_columns_that_are_hardly_hyperparameters():
    frame = pd.concat([ROWS] * 4, ignore_index=True).assign(lr=np.linspace(0.1, 0.9, 20))
    for column in (range(20), [f"run-{i}" for i in range(20)]):
        with pytest.raises(InvalidOption, match=r"'trial' .* the rows, so it is hardly a hyperparameter"):
            table_from_frame(frame[["lr", "depth", "error"]].assign(trial=column), loss="error")


def test_kinds_and_options_of_frames():
    with pytest.raises(UnknownName, match=r"no kind of benchmark 'tabel' .*did you mean table"):
        Benchmark.from_frame(ROWS, kind="tabel", loss="error")
    with pytest.raises(InvalidOption, match="los"):
        Benchmark.from_frame(ROWS, kind="table", los="error")
