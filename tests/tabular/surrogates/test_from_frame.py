"""From a frame to a benchmark."""

import numpy as np
import pytest
from recorded_rows import CONFIG, recorded
from scipy.stats import spearmanr

from hpo_core import Benchmark, Categorical, Condition, Float, Int, Space
from hpo_core.errors import HpoError, InvalidOption, UnknownName


def made(frame, **options):
    return Benchmark.from_frame(frame, **{"loss": "error", "config": CONFIG, "name": "made", **options})


def test_it_ranks_unseen_configurations(quick):
    b = made(recorded(200))
    unseen = recorded(300, seed=5)
    configs = [{k: v for k, v in row.items() if v == v} for row in unseen[CONFIG].to_dict("records")]
    inside = [b.space["lr"].low <= c["lr"] <= b.space["lr"].high and c.get("momentum", 0.5) < 0.99 for c in configs]
    kept = [c for c, is_in in zip(configs, inside, strict=True) if is_in and c.get("momentum", 0.5) > 0.02]
    losses = [b.objective(c).loss for c in kept]
    true = [unseen["error"][configs.index(c)] for c in kept]
    assert spearmanr(losses, true).statistic > 0.9
    assert b.problem.surrogate.quality.spearman == pytest.approx(spearmanr(losses, true).statistic, abs=0.06)


def test_equal_rows_and_seeds_give_equal_surrogates_in_whatever_order(quick):
    frame = recorded()
    first, second = made(frame), made(frame.sample(frac=1, random_state=1).reset_index(drop=True))
    assert first.problem.checksum == second.problem.checksum
    assert first.problem.checksum != made(frame, seed=1).problem.checksum


def test_a_space_can_be_given(quick):
    space = Space(
        [
            Float("lr", 1e-5, 10, log=True),
            Int("depth", 1, 20),
            Categorical("solver", ["adam", "sgd", "other"]),
            Float("momentum", 0, 1),
        ],
        [Condition("momentum", "solver", ("sgd",))],
    )
    for given in (space, space.to_configspace()):
        b = made(recorded(), space=given, config=None, repetition="repetition", min_correlation=0.5)
        assert b.space == space
    assert b.objective({"lr": 5.0, "depth": 20, "solver": "other"}).loss > b.optimum


def test_failed_rows_count_as_the_worst(quick):
    frame = recorded()
    frame.loc[:9, "error"] = np.nan
    b = made(frame, failed="worst", min_correlation=0.3)
    assert "10 failed rows" in b.provenance["loss"]
    assert b.problem.surrogate.bounds[1] == frame["error"].max()


def test_provenance_says_what_was_made_of_the_rows(quick):
    b = made(recorded(budgets=(1, 2), n_repetitions=2, noise=0.1), budget="epoch", repetition="repetition")
    about = b.provenance
    assert about["source"] == "a DataFrame"
    assert about["rows"] == "480 of 120 configurations"
    assert about["conditions"] == ["momentum is active where solver is sgd"]
    assert "one nominal second" in about["cost"] and "240 configurations with 2 to 2" in about["noise"]
    assert "8 leaves" in about["model"] and "scikit-learn" in about["fitted by"]


def test_bad_calls_are_explained():
    frame = recorded()
    with pytest.raises(InvalidOption, match="has no option 'los'; did you mean loss"):
        Benchmark.from_frame(frame, los="error")
    with pytest.raises(InvalidOption, match="needs loss"):
        Benchmark.from_frame(frame)
    with pytest.raises(UnknownName, match="no kind of benchmark 'surogate' is made of frames"):
        Benchmark.from_frame(frame, kind="surogate", loss="error")
    with pytest.raises(InvalidOption, match="a DataFrame with a row each, got list"):
        Benchmark.from_frame([1], loss="error")
    with pytest.raises(HpoError, match="loss must be a column, got 'eror'; did you mean error"):
        Benchmark.from_frame(frame, loss="eror")


@pytest.mark.slow
def test_the_whole_choice_takes_a_better_model_than_the_small_one():
    b = made(recorded(300), config=CONFIG)
    assert b.problem.surrogate.quality.spearman > 0.95
    assert b.provenance["model"].startswith("gradient boosting")
