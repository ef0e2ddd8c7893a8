"""From columns to a dataset: the task that a target means, and names that meet."""

import numpy as np
import pandas
import pytest

from fcnet_data.datasets.encoding import encode, understood_task


def column(values):
    return pandas.Series(values)


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["yes", "no"] * 2, "classification"),
        ([True, False] * 2, "classification"),
        (list(range(10)) * 10, "classification"),  # digits
        ([-1.0, 1.0] * 10, "classification"),
        (list(range(10)) * 9 + [0] * 9, "regression"),  # 99 rows for ten values
        (list(range(11)) * 20, "regression"),
        ([0.5, 1.0] * 50, "regression"),
        ([1, 2, 3, 4], "regression"),
    ],
)
def test_the_task_that_a_target_means(values, task):
    found, reason = understood_task(column(values))
    assert found == task
    assert reason.startswith("it holds ")


def test_the_reason_is_kept_where_the_values_decided():
    table = pandas.DataFrame({"y": [0, 1] * 20, "a": np.arange(40.0)})
    data = encode("t", table, "y", None)
    assert (data.task, data.task_reason) == ("classification", "it holds 2 different whole numbers")
    assert data.columns == ("y", "a") and data.feature_names == ("a",)
    given = encode("t", table, "y", "regression")
    assert (given.task, given.task_reason, given.target.tolist()) == ("regression", "", [0.0, 1.0] * 20)


def test_a_column_named_like_a_value_of_another_is_not_lost():
    table = pandas.DataFrame({"c": ["x", "y", "z"] * 4, "c=x": np.arange(12.0), "y": np.arange(12) / 2})
    data = encode("t", table, "y", None)
    assert data.feature_names == ("c=x", "c=y", "c=z", "c=x")
    assert data.features[:, 0].tolist() == [1, 0, 0] * 4 and data.features[:, 3].tolist() == list(range(12))


def test_a_target_named_like_a_value_is_the_column():
    table = pandas.DataFrame({"c": ["x", "y", "z"] * 4, "c=x": np.arange(12.0)})
    data = encode("t", table, "c=x", None)
    assert data.target.tolist() == list(range(12)) and data.feature_names == ("c=x", "c=y", "c=z")


def test_thousands_of_classes_are_coded_in_order():
    labels = [f"k{i:04d}" for i in range(3000)]
    table = pandas.DataFrame({"a": np.arange(6000.0), "y": labels[::-1] + labels})
    data = encode("t", table, "y", None)
    assert data.n_classes == 3000 and data.target[:3].tolist() == [2999, 2998, 2997]
