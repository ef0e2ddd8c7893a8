"""Neighbours of many rows at once are those of a loop over rows and hyperparameters, with the same draws."""

import numpy as np
import pytest
from conditional_spaces import CLAUSES, TREE, listed

from baselines.parts.search.neighbours import MOST_NEIGHBOURS, neighbours
from hpo_core import Categorical, Float, Int, Ordinal, Space
from hpo_models.features import Features

MIXED = Space(
    [Float("x", 1e-3, 1, log=True), Int("n", 1, 50, log=True), Ordinal("o", [1, 2, 4]), Categorical("c", "abc")]
)
SPACES = {
    "mixed": MIXED,
    "wide": Space([*MIXED, *(Float(f"x{i}", 0.0, 1.0) for i in range(60)), Categorical("many", range(40))]),
    "tree": TREE,
    "clauses": CLAUSES,
    "list": listed(MIXED, 60),
}


def one_by_one(features, row, rng):
    """Neighbours of a row, written as a loop."""
    if features.listed is not None:
        found = features.listed.around(row, 2 * len(features.first_columns))
        return found if len(found) else row[None]
    active = features.present(row[None])[0, features.first_columns]
    numeric, codes = row[: features.n_numeric], features.codes(row[None])[0]
    moves = []
    for i, cell in enumerate(features.cells):
        if active[i]:
            steps = [-cell, cell] if cell > 0 else (0.2 * rng.standard_normal(4)).tolist()
            moves += [(i, numeric[i] + step) for step in steps if 0.0 < numeric[i] + step < 1.0]
    for i, size in enumerate(features.sizes, features.n_numeric):
        if active[i]:
            moves += [(i, code) for code in range(size) if code != codes[i - features.n_numeric]]
    if len(moves) > MOST_NEIGHBOURS:
        moves = [moves[k] for k in rng.choice(len(moves), MOST_NEIGHBOURS, replace=False)]
    both = np.repeat(np.concatenate([numeric, codes])[None], len(moves), axis=0)
    for k, (i, value) in enumerate(moves):
        both[k, i] = value
    joined = features.join(features.snap(both[:, : features.n_numeric]), both[:, features.n_numeric :].astype(int))
    found = features.candidates(joined)
    return found if len(found) else row[None]


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_neighbours_of_many_rows_are_those_of_one_after_the_other(space):
    features = Features(space)
    rows = features.sample_prior(np.random.default_rng(0), 25)
    rng, replay = np.random.default_rng(1), np.random.default_rng(1)
    found, owners = neighbours(features, rows, rng)
    parts = [one_by_one(features, row, replay) for row in rows]
    np.testing.assert_array_equal(found, np.concatenate(parts))
    np.testing.assert_array_equal(owners, np.repeat(np.arange(25), [len(part) for part in parts]))
    assert rng.bit_generator.state == replay.bit_generator.state
