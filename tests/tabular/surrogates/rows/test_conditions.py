"""Conditions that empty cells show."""

import numpy as np
import pytest

from hpo_core import Condition
from tabular.surrogates.errors import InvalidRecords
from tabular.surrogates.rows.inferred_space import infer_space

GAP = np.nan


def column(*cells):
    texts = any(isinstance(cell, str) for cell in cells)
    return np.array([None if texts and cell is GAP else cell for cell in cells], dtype=object if texts else None)


def test_a_column_that_is_empty_where_another_has_a_value():
    space = infer_space(
        {
            "gamma": column(GAP, 0.5, 0.25, GAP, 0.3),
            "degree": column(GAP, GAP, 2.0, GAP, GAP),
            "kernel": column("linear", "rbf", "poly", "linear", "rbf"),
        }
    )
    assert space.names == ("kernel", "gamma", "degree")
    assert space.conditions == (
        Condition("gamma", "kernel", ("poly", "rbf")),
        Condition("degree", "kernel", ("poly",)),
    )


def test_a_chain_of_conditions():
    space = infer_space(
        {
            "z": column(GAP, GAP, GAP, 1.5, 2.5, GAP),
            "y": column(GAP, GAP, "no", "yes", "yes", "no"),
            "x": column(0, 0, 1, 1, 2, 2),
        }
    )
    assert space.names == ("x", "y", "z")
    assert set(space.conditions) == {Condition("y", "x", (1, 2)), Condition("z", "y", ("yes",))}


def test_siblings_are_not_taken_for_parents():
    space = infer_space(
        {
            "kind": column("a", "a", "b", "b"),
            "first": column("u", "v", GAP, GAP),
            "second": column(1.0, 2.0, GAP, GAP),
        }
    )
    assert {condition.parent for condition in space.conditions} == {"kind"}


def test_empty_cells_that_nothing_explains():
    with pytest.raises(InvalidRecords, match=r"'x' is empty in 2 of 4 rows, first in row 1, .*--space FILE.json"):
        infer_space({"x": column(GAP, 1.0, GAP, 2.0), "kind": column("a", "a", "b", "b")})


def test_empty_cells_with_two_explanations_are_not_guessed():
    with pytest.raises(InvalidRecords, match=r"x is active where a is 1; or x is active where b is no.*--space"):
        infer_space({"a": column(0, 0, 1, 1), "b": column("yes", "yes", "no", "no"), "x": column(GAP, GAP, 1.0, 2.0)})


def test_a_float_is_no_parent():
    with pytest.raises(InvalidRecords, match="no other column says when"):
        infer_space({"lr": np.arange(20) + 0.5, "x": np.where(np.arange(20) < 10, np.nan, np.arange(20))})


def test_columns_that_make_no_hyperparameter():
    filled = column("a", "b")
    with pytest.raises(InvalidRecords, match="'x' is empty in every row"):
        infer_space({"x": np.array([np.nan, np.nan]), "kind": filled})
    with pytest.raises(InvalidRecords, match="must vary"):
        infer_space({"x": np.array([1.0, 1.0])})
    with pytest.raises(InvalidRecords, match="101 different texts"):
        infer_space({"x": np.array([f"run {i}" for i in range(101)], dtype=object)})
