"""The models that come with the package: their tasks are the same for everyone, and like the tasks of their data."""

import subprocess
import sys

import numpy as np
import pytest

import profet
from hpo_core import Benchmark
from hpo_leaderboard.experiments.identity import open_benchmark
from profet.family import shipped_model
from profet.sources import meta_data
from tabular.statistics import spearman
from tabular.top import top_indices

FAMILIES = ("svm", "fcnet", "xgboost", "curves")
LARGEST = 12_000_000  # bytes

# Loss and cost of task 17 in the middle of its space, from the files as they were first shipped.
PINNED = {
    "svm": (0.6525050583758409, 0.1629393096529023),
    "fcnet": (0.05263113242458839, 0.22690106800137017),
    "xgboost": (1.0553555532191097, 0.18694471201808988),
    "curves": (0.585344730191578, 0.08678997503260383),
}
CHECKSUMS = {"svm": "cb9a1141", "fcnet": "0912d417", "xgboost": "5e462d1e", "curves": "6cc5fccf"}


def middle(name):
    b = Benchmark(name)
    return b, b.space.decode(b.space.from_unit(np.full((1, len(b.space)), 0.5)))[0]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_task_is_the_same_for_ever(family):
    b, config = middle(f"profet-{family}/17")
    found = b.objective(config)
    assert (found.loss, found.cost) == pytest.approx(PINNED[family], rel=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_checksum_of_a_published_task_stays(family):
    """Recorded runs are keyed by it: it is that of the model and the draws, and knows noise from none."""
    found = open_benchmark(f"profet-{family}/17", {}).checksum
    assert found.startswith(CHECKSUMS[family])
    assert found != open_benchmark(f"profet-{family}/18", {}).checksum
    assert found != open_benchmark(f"profet-{family}/17", {"noise": True}).checksum


def test_a_task_is_the_same_in_another_process():
    code = "import test_shipped as t; b, c = t.middle('profet-xgboost/5'); print(repr(b.objective(c).loss))"
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=__file__.rpartition("/")[0]
    )
    b, config = middle("profet-xgboost/5")
    assert said.stdout.strip() == repr(b.objective(config).loss)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_model_is_small_and_was_trained_on_the_shipped_data(family):
    assert shipped_model(family).stat().st_size <= LARGEST
    model, data = profet.open_model(family), meta_data(family)
    assert model.tasks == data.tasks and model.space == data.space
    assert len(model.loss.theta) == 200 and np.isfinite(model.loss.theta).all()
    assert (model.cost.theta[:, -1] < 0).all()  # log noise variance: chains that left show here first


@pytest.mark.parametrize("family", ["svm", "fcnet", "xgboost"])
def test_sampled_tasks_are_like_those_of_the_data(family):
    data = meta_data(family)
    real = data.losses[:, :, 0]
    best, agreements = [], []
    for task in profet.sample(profet.open_model(family), 50):
        losses, costs = task.evaluate_batch(data.codes, 1, None)
        assert losses.min() >= data.loss_range[0] and losses.max() <= data.loss_range[1] and costs.min() > 0
        best.append(losses.min())
        agreements.append(np.nanmax(spearman(real, losses)))  # with the real task that it is most like
    assert np.median(agreements) > 0.9
    lowest, highest = np.quantile(real.min(axis=1), [0.0, 1.0])
    assert np.mean((best > lowest - 0.1) & (best < highest + 0.1)) > 0.9


def test_generated_curves_settle_last_among_the_best():
    codes = np.unique(meta_data("curves").codes, axis=0)
    found = []
    for task in profet.sample(profet.open_model("curves"), 5):
        losses = np.array([task.evaluate_batch(codes, budget, None)[0] for budget in (4, 11, 30, 70, 100)])
        tops = [losses[:, top_indices(losses[-1], percent)] for percent in (100, 50, 20)]
        found.append([spearman(top, top[-1]) for top in tops])
    mean = np.mean(found, axis=0)
    assert (np.diff(mean, axis=1) > 0).all()
    assert (np.diff(mean[:, :-1].mean(axis=1)) < 0).all()
