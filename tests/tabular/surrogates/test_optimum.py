"""Search for the lowest loss."""

import itertools

import numpy as np
import pytest

from hpo_core import Categorical, Condition, Float, Int, Space
from hpo_core.errors import InvalidConfig
from tabular.surrogates.optimum import search_optimum, settled
from tabular.surrogates.trees.bins import bins_of
from tabular.surrogates.trees.fitting import Boosting, ensemble_of, fit
from tabular.surrogates.trees.scorer import Scorer


def fitted(space, n=400, seed=0):
    """Losses of a surface with interactions, their bins, and recorded codes."""
    rng = np.random.default_rng(seed)
    codes = space.encode(space.sample(rng, n)).astype(float)
    bins = bins_of(space, codes, None, log_budget=False)
    unit = np.nan_to_num(bins.inputs(codes), nan=-1)
    target = np.sin(unit @ rng.standard_normal(unit.shape[1]) / 9) + 0.1 * rng.standard_normal(n)
    scorer = Scorer(bins, [ensemble_of(fit(Boosting(leaves=16, n_trees=40), bins.inputs(codes), target, 0))])
    return (lambda asked: scorer.many(asked)[0]), bins, codes


def test_the_lowest_of_a_small_grid_is_found():
    space = Space([Int("a", 0, 30), Int("b", 0, 30), Categorical("c", list("uvw"))])
    losses, bins, codes = fitted(space)
    found = search_optimum(losses, space, bins, codes[:5], seed=0)
    everything = np.array(list(itertools.product(range(31), range(31), range(3))), dtype=float)
    assert found.loss == losses(everything).min()
    assert losses(found.codes[None])[0] == found.loss


@pytest.mark.slow
def test_it_is_lower_than_many_random_ones_and_within_the_space():
    space = Space([Float(name, 1e-3, 1.0, log=True) for name in "abcd"])
    losses, bins, codes = fitted(space)
    found = search_optimum(losses, space, bins, codes, seed=0)
    others = space.encode(space.sample(np.random.default_rng(9), 50_000))
    assert found.loss <= losses(others).min()
    space.check_codes(found.codes[None])


def test_conditions_hold_along_the_way():
    space = Space(
        [Categorical("kind", ["a", "b"]), Float("x", 0, 1), Float("y", 1, 2)],
        [Condition("x", "kind", ("a",)), Condition("y", "kind", ("b",))],
    )

    def losses(codes):
        b = codes[:, 0] == 1
        assert np.array_equal(np.isnan(codes[:, 1]), b) and np.array_equal(np.isnan(codes[:, 2]), ~b)
        return np.where(b, np.nan_to_num(codes[:, 2]) - 1.5, np.nan_to_num(codes[:, 1]))

    recorded = np.array([[0, 0.5, np.nan], [0, 0.25, np.nan], [1, np.nan, 1.1]])
    bins = bins_of(space, recorded, None, log_budget=False)
    found = search_optimum(losses, space, bins, recorded, seed=0)
    assert found.codes[0] == 1 and found.loss < -0.49


def test_what_is_switched_on_gets_its_default():
    space = Space([Categorical("kind", ["a", "b"]), Float("x", 0, 1)], [Condition("x", "kind", ("a",))])
    codes = np.array([[0, np.nan], [1, 0.3], [0, 0.3]])
    np.testing.assert_array_equal(settled(space, codes), [[0, 0.5], [1, np.nan], [0, 0.3]])


def test_configurations_that_the_space_refuses_are_passed_over():
    class Forbidding(Space):
        """Refuses x > 1/2 with kind b, as a forbidden clause does."""

        def check_codes(self, codes):
            array = super().check_codes(codes)
            if ((array[:, 0] == 1) & (array[:, 1] > 0.5)).any():
                raise InvalidConfig("forbidden")
            return array

        def sample(self, rng, n=None):
            return [{"kind": "a", "x": float(x)} for x in rng.random(n)]

    space = Forbidding([Categorical("kind", ["a", "b"]), Float("x", 0, 1)])
    recorded = np.column_stack([np.zeros(50), np.linspace(0, 1, 50)])
    bins = bins_of(space, recorded, None, log_budget=False)

    def losses(codes):
        return np.where(codes[:, 0] == 1, -1 - codes[:, 1], (codes[:, 1] - 0.3) ** 2)

    found = search_optimum(losses, space, bins, recorded, seed=0)
    assert found.codes[0] == 1 and 0.45 < found.codes[1] <= 0.5
