"""TPE where hyperparameters are switched off, forbidden together or listed."""

import numpy as np
import pytest
from conditional_spaces import CLAUSES, TREE, listed
from scipy.stats import chisquare

from baselines import optimizer
from baselines.tpe.parts.suggestions import BoxSuggestions, Columns, ListedSuggestions
from baselines.tpe.parts.univariate import GoodAndBad, bad_weights
from hpo_core import Categorical, Condition, Float, Forbidden, Int, Ordinal, Space
from hpo_models.densities.parzen import Lattice, adaptive_mixture, forgetting_weights

BRANCHES = Space(
    [Categorical("c", ["on", "off"]), Ordinal("o", [1, 2, 4, 8]), Categorical("k", "xyz"), Float("f", 0.0, 1.0)],
    [Condition("o", "c", ("on",)), Condition("k", "c", ("on",)), Condition("f", "c", ("on",))],
)


def history_of(space, n, seed=0):
    """Columns of a space and rows of random configurations."""
    columns = Columns(space)
    rows, _ = columns.rows_of(space, space.encode(space.sample(np.random.default_rng(seed), n)).astype(float))
    for row in rows:
        columns.choices.note(row)
    return columns, rows


def test_a_density_is_made_of_the_rows_that_have_its_hyperparameter():
    """As the density of a space without the switch, given these rows alone."""
    columns, rows = history_of(BRANCHES, 80)
    good = [3, 17, 18, 40, 41, 66]
    split = GoodAndBad(rows, good, bad_weights(80, good), 5)
    on = rows[:, 4] == 1.0  # the switch comes after the ordinal
    space = Space(BRANCHES.hyperparameters[1:])
    alone, _ = history_of(space, 0)
    codes = np.array([[np.argmax(r[:4]), np.argmax(r[8:11]), r[12]] for r in rows[on]])
    their_rows, _ = alone.rows_of(space, codes)
    for row in their_rows:
        alone.choices.note(row)
    their_good = np.searchsorted(np.flatnonzero(on), [i for i in good if on[i]]).tolist()
    theirs = GoodAndBad(their_rows, their_good, bad_weights(len(their_rows), their_good), 5)
    assert 0 < len(their_good) < len(good)
    for density in ("good", "bad"):
        ours, other = getattr(columns.choices, density)(split), getattr(alone.choices, density)(theirs)
        np.testing.assert_allclose(ours[[0, 2]], other)
        mixture, expected = (
            getattr(columns.numbers[0][1], density)(split),
            getattr(alone.numbers[0][1], density)(theirs),
        )
        for part, same in zip(mixture, expected, strict=True):
            np.testing.assert_allclose(part, same)


def test_old_rows_are_forgotten_among_those_that_have_the_hyperparameter():
    columns, rows = history_of(BRANCHES, 120)
    bad = columns.numbers[0][1].bad(GoodAndBad(rows, [], bad_weights(120, []), 5))
    units = rows[~np.isnan(rows[:, -1]), -1]
    assert 25 < len(units) < 120
    expected = adaptive_mixture(units, forgetting_weights(len(units)))
    np.testing.assert_allclose(bad.weights, expected.weights)


def test_ordinals_with_different_numbers_of_observations_are_as_each_by_itself():
    counts = np.array([[3.0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0], [20, 30, 40, 50]])
    together = Lattice(np.array([4, 4, 4, 4]), 4).density(counts, counts)
    for row, density in zip(counts, together, strict=True):
        np.testing.assert_allclose(Lattice(np.array([4]), 4).density(row[None], row[None])[0], density)


def test_only_what_is_active_is_suggested_and_stands_in_the_row():
    suggestions, rng = BoxSuggestions(TREE), np.random.default_rng(0)
    empty = GoodAndBad(np.empty((0, suggestions.width)), [], np.empty(0), 1)
    columns = Columns(TREE)
    for _ in range(200):
        config, row = suggestions.suggest(rng, empty)
        assert TREE.check(config) == config
        expected, _ = columns.rows_of(TREE, TREE.encode(config))
        np.testing.assert_allclose(row, expected[0])


def test_suggestions_without_observations_are_draws_from_the_prior():
    suggestions, rng = BoxSuggestions(TREE), np.random.default_rng(0)
    empty = GoodAndBad(np.empty((0, suggestions.width)), [], np.empty(0), 1)
    configs = [suggestions.suggest(rng, empty)[0] for _ in range(3000)]
    assert chisquare([sum(c["root"] == value for c in configs) for value in "abc"]).pvalue > 0.001
    leaves = [c["leaf"] for c in configs if "leaf" in c]
    assert chisquare([leaves.count(v) for v in "pqr"], len(leaves) * np.array([0.5, 0.25, 0.25])).pvalue > 0.001


def test_when_the_best_values_are_forbidden_together_others_are_drawn():
    space = Space(
        [Ordinal("a", range(5)), Ordinal("b", range(5))], forbidden=[Forbidden({"a": [0, 1, 2], "b": [0, 1, 2]})]
    )
    o = optimizer("tpe-univariate", space, n_initial=10)
    configs = []
    for _ in range(60):
        proposal = o.ask()
        assert space.check(proposal.config) == proposal.config
        configs.append((proposal.config["a"], proposal.config["b"]))
        o.tell(proposal, proposal.config["a"] + proposal.config["b"], 1.0)
    assert min(a + b for a, b in configs) == 3
    assert np.mean([a + b for a, b in configs[30:]]) < np.mean([a + b for a, b in configs[:10]])


def test_candidates_of_a_list_are_drawn_from_the_product_of_the_densities():
    """Against the definition: what is switched off has no factor, and the prior divides."""
    space = listed(Space([Categorical("c", ["on", "off"]), Int("n", 1, 6)], [Condition("n", "c", ("on",))]), 7)
    suggestions, columns = ListedSuggestions(space), Columns(space)
    rows, _ = columns.rows_of(space, space.listed)
    for row in rows:
        columns.choices.note(row)
    good = [i for i, config in enumerate(space.configs()) if config.get("n", 9) <= 2]
    split = GoodAndBad(rows, good, bad_weights(7, good), 1)
    suggestions._weigh(split)
    l, prior = columns.choices.good(split)[0], columns.choices.prior[0]
    mixture, wide = columns.numbers[0][1].good(split), adaptive_mixture(np.empty(0), np.empty(0))

    def cell(which, n):
        low, high = np.array([(n - 1) / 6]), np.array([n / 6])
        return float(which.mass(low, high)[0] / which.mass(np.zeros(1), np.ones(1))[0])

    for weight, config in zip(np.exp(suggestions._log_weights), space.configs(), strict=True):
        k = int(config["c"] == "off")
        of_n = cell(mixture, config["n"]) / cell(wide, config["n"]) if "n" in config else 1.0
        assert weight == pytest.approx(l[k] / prior[k] * of_n)


@pytest.mark.parametrize("name", ["tpe", "tpe-univariate"])
def test_of_a_list_each_is_proposed_once_and_the_best_half_early(name):
    space = listed(TREE, 60)
    losses = {str(config): k for k, config in enumerate(sorted(space.configs(), key=lambda c: (c["root"], str(c))))}
    o = optimizer(name, space, n_initial=10)
    ranks = []
    for _ in range(60):
        proposal = o.ask()
        ranks.append(losses[str(proposal.config)])
        o.tell(proposal, float(ranks[-1]), 1.0)
    assert sorted(ranks) == list(range(60))
    assert np.mean(ranks[10:30]) < np.mean(ranks[40:])
    assert str(o.ask().config) in losses


def test_forbidden_draws_are_left_out():
    o = optimizer("tpe", CLAUSES, seed=1)
    for _ in range(60):
        proposal = o.ask()
        assert CLAUSES.check(proposal.config) == proposal.config
        o.tell(proposal, 10 * proposal.config["high"] - 12 * proposal.config["low"], 1.0)  # best beyond the clause
