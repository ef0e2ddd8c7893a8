"""`turbo`: regions that begin, shrink and end, whatever is pending or fails."""

import math

import numpy as np

from baselines import optimizer
from baselines.bayesian.turbo import TrustRegionProposal
from baselines.parts.history import History
from hpo_core import Float, Proposal, Space
from hpo_models.features import Features

SQUARE = Space([Float("x", 0.0, 1.0), Float("y", 0.0, 1.0)])


def searched(loss, n, batch_size=1, n_initial=4):
    """A proposal after n rows, the rows (n, 2), and the length of the region at each of them."""
    features, rng = Features(SQUARE), np.random.default_rng(0)
    proposal, history = TrustRegionProposal(2, n_initial, batch_size), History(features.width)
    lengths, propose = [], proposal.design
    for _ in range(n):
        row = propose(history.snapshot(features), rng)
        lengths.append(proposal.region.length)
        asked = history.propose(Proposal({"row": len(lengths)}), row)
        history.tell(asked, loss(row), 1.0)
        propose = proposal.propose if len(lengths) >= n_initial else proposal.design
    return proposal, history.rows, lengths


def test_the_first_rows_are_a_latin_hypercube():
    _, rows, _ = searched(lambda row: 1.0, 4)
    assert np.sort((4 * rows).astype(int), axis=0).tolist() == [[k, k] for k in range(4)]


def test_a_region_that_never_improves_halves_and_another_one_begins():
    _, rows, lengths = searched(lambda row: 1.0, 4 + 4 * 7 + 4)
    assert lengths[4::4][:8] == [0.8 / 2**k for k in range(7)] + [0.8]
    again = rows[4 + 4 * 7 :]
    assert np.sort((4 * again).astype(int), axis=0).tolist() == [[k, k] for k in range(4)]


def test_results_count_in_batches():
    _, _, lengths = searched(lambda row: 1.0, 4 + 2 * 2 + 1, batch_size=2)
    assert lengths[4:] == [0.8] * 4 + [0.4]  # ceil(4 / 2) batches of two


def test_rows_come_close_to_the_minimum():
    target = np.array([0.3, 0.7])
    _, rows, lengths = searched(lambda row: float(((row - target) ** 2).sum()), 40)
    assert np.abs(rows - target).sum(axis=1).min() < 0.01
    assert max(lengths) == 1.6 or min(lengths) < 0.8


def test_failed_and_pending_trials_are_no_successes():
    o = optimizer("turbo", SQUARE, seed=0, n_initial=3)
    pending = [o.ask() for _ in range(6)]  # three of the design, then random ones: nothing is known
    for proposal in pending[:5]:
        o.tell(proposal, math.inf, 1.0)
    o.tell(pending[5], 1.0, 1.0)
    assert all(0.0 <= o.ask().config["x"] <= 1.0 for _ in range(4))
