"""Recorded rows as arrays, and rows that cannot become a benchmark."""

import numpy as np
import pandas as pd
import pytest

from hpo_core import Categorical, Condition, Float, Space
from hpo_core.errors import InvalidOption
from tabular.frames.roles import roles_of
from tabular.surrogates.errors import InvalidRecords
from tabular.surrogates.rows.records import records_of

RNG = np.random.default_rng(0)


def rows(n=50, **changed):
    frame = pd.DataFrame({"x": RNG.random(n), "kind": RNG.choice(["a", "b"], n), "loss": RNG.random(n)})
    return frame.assign(**changed)


def records(frame, space=None, failed="refuse", **roles):
    return records_of(frame, roles_of(frame, loss="loss", **roles), space, failed)


def test_repetitions_are_one_cell():
    frame = rows()
    twice = pd.concat([frame, frame.assign(loss=frame["loss"] + 1), frame.head(3)], ignore_index=True)
    found = records(twice)
    assert (len(found.losses), len(found.row_losses), found.n_configs) == (50, 103, 50)
    assert found.repeated and not records(frame).repeated
    codes = found.space.encode(frame[["x", "kind"]])
    order = [int(np.flatnonzero((found.codes == row).all(axis=1))[0]) for row in codes]
    expected = frame["loss"] + np.where(np.arange(50) < 3, 1 / 3, 1 / 2)
    np.testing.assert_allclose(found.losses[order], expected)
    np.testing.assert_array_equal(found.cell_of_row[:50], order)


def test_configurations_with_inactive_hyperparameters_are_equal_too():
    frame = rows(140)
    frame.loc[frame["kind"] == "a", "x"] = np.nan
    found = records(frame)
    assert found.space.conditions == (Condition("x", "kind", ("b",)),)
    n_b = int((frame["kind"] == "b").sum())
    assert found.n_configs == n_b + 1  # all rows of kind a are the same configuration
    assert found.codes.shape == (n_b + 1, 2)


def test_budgets_and_the_full_one():
    frame = pd.concat([rows().assign(epoch=3), rows().assign(epoch=9)], ignore_index=True)
    found = records(frame, budget="epoch")
    assert found.full_budget == 9 and found.full.sum() == 50
    constant = records(rows(epoch=7), budget="epoch")
    assert constant.budgets is None and constant.full_budget == 7


def test_failed_rows_are_refused_or_count_as_the_worst():
    frame = rows()
    frame.loc[4, "loss"], frame.loc[9, "loss"] = np.nan, np.inf
    with pytest.raises(InvalidRecords, match=r"got nan in row 5 and 2 such rows.*--failed worst"):
        records(frame)
    found = records(frame, failed="worst")
    assert found.n_failed == 2
    assert (found.row_losses[[4, 9]] == frame["loss"].drop([4, 9]).max()).all()
    with pytest.raises(InvalidOption, match="refuse, worst, got 'drop'"):
        records(frame, failed="drop")


@pytest.mark.parametrize(
    ("frame", "roles", "message"),
    [
        (rows(1), {}, r"at least 40 configurations, got 1 row"),
        (rows(30), {}, r"at least 40 different configurations, got 30 in 30 rows"),
        (pd.concat([rows(30)] * 3, ignore_index=True), {}, r"at least 40 different configurations, got 30 in 90 rows"),
        (rows(loss=0.5), {}, r"'loss' is 0.5 in every row"),
        (rows(loss=np.nan), {"failed": "worst"}, r"holds no finite number"),
        (rows(loss=[*RNG.random(49), "high"]), {}, r"'loss' holds float and str: 'high' in row 50"),
        (rows(loss=["high"] * 50), {}, r"loss must be a column of numbers, 'loss' has 'high' in row 1"),
        (rows(seconds=0.0), {"cost": "seconds"}, r"cost must be a column of numbers > 0, 'seconds' has 0 in row 1"),
        (rows(seconds=-1.0), {"cost": "seconds"}, r"cost must be a column of finite numbers >= 0, 'seconds' has -1"),
        (rows(seconds=[1.0, np.nan] * 25), {"cost": "seconds"}, r"'seconds' has nan in row 2 \(25 such rows\)"),
        (rows(epoch=["one"] * 50), {"budget": "epoch"}, r"budget must be a column of numbers, 'epoch' has 'one'"),
        (rows(x=["0.1", "abc"] * 25), {}, r"'x' has both: 'abc' in row 2"),
        (rows(), {"cost": "secs"}, r"cost must be a column, got 'secs'"),
        (rows(), {"config": ["kimd"]}, r"got 'kimd'; did you mean kind\?"),
        (rows(), {"cost": "loss"}, r"a column has one role, 'loss' was given two"),
    ],
)
def test_bad_input_is_explained(frame, roles, message):
    with pytest.raises(ValueError, match=message):
        records(frame, **roles)


def test_too_few_configurations_at_the_full_budget():
    frame = pd.concat([rows(80).assign(epoch=1), rows(20).assign(epoch=9)], ignore_index=True)
    with pytest.raises(InvalidRecords, match=r"at the full budget, got 20 at 9; leave out the rows of that budget"):
        records(frame, budget="epoch")


def test_a_given_space_is_checked_row_by_row():
    space = Space([Categorical("kind", ["a", "b"]), Float("x", 0, 1)], [Condition("x", "kind", ("b",))])
    frame = rows(100)
    with pytest.raises(InvalidRecords, match=r"row \d+: hyperparameter 'x' is switched off here"):
        records(frame, space)
    frame.loc[frame["kind"] == "a", "x"] = np.nan
    assert records(frame, space).space == space
    frame.loc[frame.index[frame["kind"] == "b"][0], "x"] = np.nan
    with pytest.raises(InvalidRecords, match=r"row \d+: hyperparameter 'x' is missing"):
        records(frame, space)
    with pytest.raises(InvalidRecords, match=r"only in the space: x, only in the columns: -"):
        records(frame[["kind", "loss"]], space)
