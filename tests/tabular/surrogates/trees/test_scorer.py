"""Trees by QuickScorer: against scikit-learn, and against walking down the trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpo_core import Categorical, Constant, Float, Int, Ordinal, Space
from tabular.surrogates.trees.bins import Bins, bins_of
from tabular.surrogates.trees.ensemble import BinaryTree, gather
from tabular.surrogates.trees.fitting import Boosting, RandomForest, ensemble_of, fit
from tabular.surrogates.trees.scorer import Scorer

SPACE = Space(
    [
        Float("lr", 1e-4, 1.0, log=True),
        Float("x", 0.0, 1.0),
        Int("width", 1, 1000, log=True),
        Ordinal("batch", [8, 16, 32]),
        Categorical("solver", ["a", "b", "c", "d"]),
        Constant("fixed", 3),
        Float("y", -1.0, 1.0),
    ]
)


def codes_with_gaps(n, seed, share=0.1):
    rng = np.random.default_rng(seed)
    codes = SPACE.encode(SPACE.sample(rng, n)).astype(float)
    codes[rng.random(codes.shape) < share] = np.nan
    return codes


def losses_of(codes):
    lr, x, width, batch, solver, _, y = np.nan_to_num(codes, nan=0.7).T
    return np.log(lr) * x + (solver == 1) * np.log1p(width) + batch * y + np.isnan(codes[:, 1])


@pytest.mark.parametrize(
    "setting",
    [Boosting(leaves=64, min_rows=2, n_trees=60), Boosting(leaves=3, n_trees=30), RandomForest(n_trees=40)],
    ids=["boosting", "small", "forest"],
)
def test_predictions_are_those_of_scikit_learn(setting):
    train, test = codes_with_gaps(1500, 0), codes_with_gaps(4000, 1, share=0.2)
    bins = bins_of(SPACE, train, None, log_budget=False)
    model = fit(setting, bins.inputs(train), losses_of(train), seed=0)
    scorer = Scorer(bins, [ensemble_of(model)])
    expected = model.predict(bins.inputs(test))
    (found,) = scorer.many(test)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert found.std() > 0.5
    assert [scorer.one(row) for row in test[:500].tolist()] == [[value] for value in found[:500].tolist()]


def test_missing_values_that_training_did_not_see_go_where_scikit_learn_sends_them():
    train = codes_with_gaps(500, 0, share=0)
    test = codes_with_gaps(500, 1, share=0.5)
    bins = bins_of(SPACE, train, None, log_budget=False)
    for setting in (Boosting(n_trees=20), RandomForest(n_trees=20)):
        model = fit(setting, bins.inputs(train), losses_of(train), seed=0)
        (found,) = Scorer(bins, [ensemble_of(model)]).many(test)
        np.testing.assert_allclose(found, model.predict(bins.inputs(test)), rtol=0, atol=1e-12)


def test_several_ensembles_do_not_mix():
    train = codes_with_gaps(400, 0)
    bins = bins_of(SPACE, train, None, log_budget=False)
    models = [
        fit(Boosting(leaves=leaves, n_trees=n), bins.inputs(train), sign * losses_of(train), seed=n)
        for leaves, n, sign in ((16, 10, 1), (4, 7, -3), (64, 3, 2))
    ]
    found = Scorer(bins, [ensemble_of(model) for model in models]).many(train)
    for values, model in zip(found, models, strict=True):
        np.testing.assert_allclose(values, model.predict(bins.inputs(train)), rtol=0, atol=1e-12)


# --- trees that are made by hand -------------------------------------------------------------------------------------


def test_a_number_at_an_edge_goes_left_and_one_above_it_right():
    tree = BinaryTree([1, -1, -1], [2, 0, 0], [0, 0, 0], [1, 0, 0], [False] * 3, [0.0, 10.0, 20.0])
    bins = Bins((np.array([0.25, 0.5, 0.75]),), (0,))
    scorer = Scorer(bins, [gather([tree], intercept=1.0)])
    at = {0.25: 11.0, 0.5: 11.0, np.nextafter(0.5, 1): 21.0, 0.75: 21.0, 5.0: 21.0, float("nan"): 21.0}
    assert [scorer.one([x])[0] for x in at] == list(at.values())
    np.testing.assert_array_equal(scorer.many(np.array([[x] for x in at]))[0], list(at.values()))


def test_a_constant_ensemble_is_its_intercept():
    scorer = Scorer(Bins((np.array([0.5]),), (0,)), [gather([], 2.5)])
    assert scorer.one([0.1]) == [2.5]
    np.testing.assert_array_equal(scorer.many(np.zeros((3, 1))), [[2.5, 2.5, 2.5]])


def test_more_than_64_leaves_are_refused():
    with pytest.raises(ValueError, match="at most 64 leaves, got 65"):
        gather([chain(65, left=True)], 0.0)


def chain(n_leaves, left):
    """A tree in which each node has a leaf on one side and all the rest on the other."""
    n_nodes = 2 * n_leaves - 1
    lefts, rights, values, bins = [-1] * n_nodes, [-1] * n_nodes, [0.0] * n_nodes, [0] * n_nodes
    for i in range(n_leaves - 1):
        leaf, rest = 2 * i + 1, 2 * i + 2
        lefts[2 * i], rights[2 * i] = (rest, leaf) if left else (leaf, rest)
        bins[2 * i] = n_leaves - 2 - i if left else i
        values[leaf] = float(i + 1)
    values[n_nodes - 1] = float(n_leaves)
    return BinaryTree(lefts, rights, [0] * n_nodes, bins, [True] * n_nodes, values)


@pytest.mark.parametrize("left", [True, False])
def test_all_64_bits_are_used(left):
    bins = Bins((np.arange(63) + 0.5,), (0,))
    scorer = Scorer(bins, [gather([chain(64, left)], 0.0)])
    reached = [scorer.one([float(x)])[0] for x in range(64)]
    assert reached == [float(64 - x if left else x + 1) for x in range(64)]


@st.composite
def random_trees(draw):
    """Trees of up to 64 leaves over four columns: two numbers, and a categorical of two values."""
    trees = []
    for _ in range(draw(st.integers(1, 4))):
        left, right, column, at, missing, value = [-1], [-1], [0], [0], [False], [0.0]
        for _ in range(draw(st.integers(0, 40))):
            leaves = [i for i, child in enumerate(left) if child < 0]
            node = leaves[draw(st.integers(0, len(leaves) - 1))]
            left[node], right[node] = len(left), len(left) + 1
            column[node] = draw(st.integers(0, 3))
            at[node] = draw(st.integers(0, 4)) if column[node] < 2 else 0
            missing[node] = draw(st.booleans()) if column[node] < 2 else True
            for _ in range(2):
                left.append(-1), right.append(-1), column.append(0), at.append(0), missing.append(False)
                value.append(float(len(value)))
        trees.append(BinaryTree(left, right, column, at, missing, value))
    return trees


def walked(tree, inputs):
    """Value of the leaf that a row of inputs reaches, node by node."""
    node = 0
    while tree.left[node] >= 0:
        seen = inputs[tree.column[node]]
        goes_left = tree.missing_left[node] if np.isnan(seen) else seen <= tree.bin[node]
        node = tree.left[node] if goes_left else tree.right[node]
    return tree.value[node]


@pytest.mark.slow
@settings(max_examples=60)
@given(random_trees(), st.integers(0, 2**32 - 1))
def test_random_trees_reach_the_leaves_that_walking_down_reaches(trees, seed):
    rng = np.random.default_rng(seed)
    bins = Bins((np.array([0.1, 0.3, 0.5, 0.7]), np.array([1.0, 2.0, 3.0]), np.empty(0)), (0, 0, 2))
    codes = np.column_stack([rng.random(60), rng.uniform(0, 4, 60), rng.integers(0, 2, 60)])
    codes[rng.random(codes.shape) < 0.15] = np.nan
    expected = [sum(walked(tree, row) for tree in trees) for row in bins.inputs(codes)]
    np.testing.assert_allclose(Scorer(bins, [gather(trees, 0.0)]).many(codes)[0], expected, rtol=1e-14)
