"""The synthetic study of Ram et al. (2022): points, records of paths, and heuristics on paths made by hand."""

import math

import numpy as np
import pytest

from baselines.deployment import inner_tolerance
from hpo_papers.ram2022.synthetic import choices, points, tolerances
from hpo_papers.ram2022.synthetic.choices import Tolerances, choice_rows, clear, right
from hpo_papers.ram2022.synthetic.scale import Scale, scale_of, training_seconds
from hpo_papers.ram2022.synthetic.study import SPACES, Sample, reached, risk_on_all, select


def path(*rows):
    """A path with the given records of errors: epoch, training, held-out and fresh error."""
    return {"epochs": rows[-1][0], "error": [list(row) for row in rows], "loss": [[1, 0.7, 0.5, 0.5]]}


POOR = path((1, 0.5, 0.5, 0.5), (10, 0.4, 0.45, 0.45))
GOOD = path((1, 0.3, 0.35, 0.36), (2, 0.2, 0.28, 0.30), (6, 0.0, 0.25, 0.26))
FINAL = path((1, 0.25, 0.0, 0.32), (2, 0.12, 0.0, 0.24), (5, 0.0, 0.0, 0.20))


class MadeWork:
    """Work whose trainings are given: the compared networks are poor but one, which is the best at last."""

    def __init__(self, runs=1):
        self.runs = runs

    def parts(self, function, calls):
        return [self.trained(*call) for call in calls]

    def trained(self, cloud, n, m, trial, restarts, epochs, members):
        if m == n:
            return [FINAL for _ in members]
        return [GOOD if member == 7 else POOR for member in members]


def test_bayes_rule_of_two_clusters_is_the_midpoint():
    rng = np.random.default_rng(0)
    clusters = np.stack([rng.normal((-2, 0), 1, (20000, 2)), rng.normal((2, 0), 1, (20000, 2))])
    found = points.bayes_rule(clusters, np.array([1, 0]))
    values = clusters[..., 0].reshape(-1)
    far = np.abs(values) > 0.1  # the moments are estimated
    np.testing.assert_array_equal(found[far], (values < 0)[far])


@pytest.mark.slow
def test_trials_have_points_of_their_own_and_smaller_samples_are_parts_of_larger_ones():
    first, labels = points.sample("narrow", 600, 0)
    np.testing.assert_array_equal(points.sample("narrow", 512, 0)[0], first[:512])
    other, _ = points.sample("narrow", 512, 1)
    assert not (first[:, None, 0] == other[None, :, 0]).any()
    assert len(points.fresh("narrow")[0]) == points.N_FRESH
    assert 0.4 < labels.mean() < 0.6
    x, _ = points.pool("narrow")
    np.testing.assert_allclose(x.mean(axis=0), 0, atol=1e-3)
    np.testing.assert_allclose(x.std(axis=0), 1, atol=1e-3)


def test_a_share_of_the_labels_is_flipped():
    y = np.zeros(10000, int)
    noisy = points.flipped(y, "noisy", 3)
    assert 0.08 < noisy.mean() < 0.12
    np.testing.assert_array_equal(noisy, points.flipped(y, "noisy", 3))
    assert (noisy != points.flipped(y, "noisy", 4)).any()
    np.testing.assert_array_equal(points.flipped(y, "wide", 3), y)


def test_records_are_the_new_minima():
    pytest.importorskip("numba")
    from hpo_papers.ram2022.synthetic.paths import records

    values = np.array([[0.5, 0.6], [0.3, 0.5], [0.4, 0.1], [0.3, 0.2], [0.1, 0.4]])
    assert records(values) == [[1, 0.5, 0.6], [2, 0.3, 0.5], [5, 0.1, 0.4]]


def test_a_training_to_a_tolerance_ends_at_the_first_epoch_within_it():
    assert reached(GOOD, 0.0) == (6, 0.0, 0.25, 0.26)
    assert reached(GOOD, 0.2) == (2, 0.2, 0.28, 0.30)
    assert reached(GOOD, 0.19) == (6, 0.0, 0.25, 0.26)
    assert reached(GOOD, 5.0) == (1, 0.3, 0.35, 0.36)


def test_selection_is_by_held_out_errors_and_counts_all_epochs():
    found = select([POOR, GOOD, FINAL], [0, 1], 0.2)
    assert found.member == 1
    assert found.reached == (2, 0.2, 0.28, 0.30)
    assert found.epochs == 1 + 2
    assert select([POOR, GOOD, FINAL], [0, 1], 0.0).epochs == 10 + 6
    assert risk_on_all(Sample(100, 0.3, 0), found.reached) == pytest.approx((70 * 0.2 + 30 * 0.28) / 100)


def test_eighteen_configurations_have_the_larger_rate():
    from hpo_papers.ram2022.synthetic.paths import PLANS

    assert len(set(PLANS)) == 36
    assert len(SPACES[18]) == 18
    assert {PLANS[k].learning_rate for k in SPACES[18]} == {0.1}


def test_the_choice_trains_again_where_the_improvement_is_above_the_bound():
    # rho_in = 0.2: risk of g on all rows 0.7 * 0.2 + 0.3 * 0.28 = 0.224, of f 0; bound 0.338 at 512, 0.0598 at 2^14
    scale = Scale((512, 2**14), (0.3,), 2, 5, 40)
    rows = choice_rows(MadeWork(), "wide", scale, 36, [Tolerances(0.2, 0.1)])
    small, large = rows
    assert small["improvement"] == pytest.approx(0.224, abs=1e-3)
    assert (small["retrained"], small["choice"]) == (0.0, small["never"])
    assert (large["retrained"], large["choice"]) == (1.0, large["always"])
    assert (large["never"], large["always"]) == pytest.approx((0.30, 0.20))
    assert large["gain"] == pytest.approx(0.1)
    assert clear(large)
    assert right(large)
    assert not right(small)
    (rough,) = choice_rows(MadeWork(), "wide", scale._replace(sizes=(512,)), 36, [Tolerances(0.01, 25)])
    assert rough["always"] == pytest.approx(0.32)  # f is trained less precisely than g, and is worse
    assert right(rough)


def test_one_trial_is_never_clear():
    (row,) = choice_rows(MadeWork(), "wide", Scale((512,), (0.3,), 1, 1, 4), 36, [Tolerances(0.0, 1.0)])
    assert math.isinf(row["gain_se"])
    assert not clear(row)
    assert math.isnan(choices.share_of([], clear))


def test_heuristic_3_2_counts_errors_and_epochs():
    scale = Scale((512,), (0.3,), 1, 5, 40)
    rows = tolerances.inner_rows(MadeWork(), "wide", scale, [0.001, 1.0])
    exact, rough = rows
    assert rough["rho"] == pytest.approx(inner_tolerance(358, 154, 36, gamma=1.0))
    assert (exact["risk"], exact["epochs"]) == (0.26, 6 + 35 * 10)
    assert (rough["risk"], rough["exact"], rough["epochs"]) == (0.36, 0.26, 36)  # every training ends after an epoch
    found = tolerances.summary(rows, 1.0)
    assert found["change"] == pytest.approx(0.36 / 0.26 - 1)
    assert found["saving"] == found["largest_saving"] == pytest.approx(356 / 36)


def test_heuristic_b_1_halves_while_it_pays():
    scale = Scale((2**14,), (0.3,), 1, 5, 40)
    small, large = tolerances.outer_rows(MadeWork(), "wide", scale, [1e-6, 1.0])
    rho_in = inner_tolerance(11469, 4915, 36)  # 0.0126
    assert small["rho"] == large["rho"] == pytest.approx(rho_in / 2)  # the path has nothing between 0 and 0.12
    assert (small["risk"], small["epochs"]) == (0.20, 5)


def test_studies_grow_with_the_trials():
    assert training_seconds(1) < training_seconds(2) < training_seconds(3) < training_seconds(10)
    assert scale_of(10).sizes == (512, 1024, 2048, 4096, 8192, 16384)
    assert scale_of(10).trials == 10
    assert scale_of(1).trials == 1
