"""Problems that train when they are asked."""

import multiprocessing
import sqlite3
from dataclasses import replace

import numpy as np
import pytest

from fcnet_data import on_demand
from fcnet_data.datasets import open_dataset
from fcnet_data.trainers import cross_validate, trainer
from hpo_core import Benchmark, run
from hpo_core.errors import CacheUnavailable, DamagedFile, InvalidOption, UnknownName

NAME = "cv-lm-wine"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HPO_FOUNDRY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def config_of(b, seed=0):
    return b.space.sample(np.random.default_rng(seed))


@pytest.mark.parametrize(
    ("key", "name", "changes"),
    [("lm", "linear", {}), ("rf", "forest", {"n_estimators": 4}), ("xgb", "xgboost-9", {"n_estimators": 5})],
)
def test_the_result_is_that_of_cross_validation(key, name, changes, cache):
    b = Benchmark(f"cv-{key}-wine")
    config = {**config_of(b), **changes}
    found = b.objective(config, seed=3)
    expected = cross_validate(trainer(name), config, open_dataset("wine"), seed=3)
    assert found.loss == expected.valid_loss == pytest.approx(np.mean(found.info["folds"]))
    assert found.info["folds"] == expected.folds and len(expected.folds) == 10
    assert found.info["test_loss"] == expected.test_loss


def test_a_configuration_is_trained_once(cache, monkeypatch):
    config = config_of(Benchmark(NAME))
    first = [Benchmark(NAME).objective(config, seed=s) for s in (None, 0, 1)]
    monkeypatch.setattr(on_demand, "cross_validate", None)  # would raise if it were called
    again = [Benchmark(NAME).objective(dict(reversed(config.items())), seed=s) for s in (None, 0, 1)]
    assert first == again
    assert first[0].loss == first[1].loss
    assert first[0].cost == first[1].cost


@pytest.mark.parametrize(("n_folds", "n_losses"), [(1, 1), (3, 3), (5, 5)])
def test_other_numbers_of_folds(n_folds, n_losses, cache):
    b, usual = Benchmark(NAME, folds=n_folds), Benchmark(NAME)
    config = config_of(b)
    expected = cross_validate(trainer("linear"), config, open_dataset("wine"), seed=2, n_folds=n_folds)
    found = b.objective(config, seed=2)
    assert found.info["folds"] == expected.folds and len(expected.folds) == n_losses
    assert usual.objective(config, seed=2) != found
    assert f"{n_folds}-fold" in b.provenance["source"] or n_folds == 1


def test_without_cross_validation_one_fold_of_the_ten_validates(cache):
    config = config_of(Benchmark(NAME), 1)
    single, ten = (Benchmark(NAME, folds=k).objective(config, seed=4) for k in (1, 10))
    assert single.info["folds"] == ten.info["folds"][:1] == (single.loss,)
    assert single.info["test_loss"] == ten.info["test_loss"]


def test_splits(cache):
    config, data = config_of(Benchmark(NAME)), open_dataset("wine")

    def folds(seed, **options):
        return Benchmark(NAME, **options).objective(config, seed=seed).info["folds"]

    def direct(seed, split_seed):
        return cross_validate(trainer("linear"), config, data, seed=seed, split_seed=split_seed).folds

    assert folds(3) == folds(3, split=0) == direct(3, 0)
    assert folds(3, split=7) == direct(3, 7) != direct(3, 0)
    assert folds(3, split="seed") == direct(3, 3)
    assert folds(None, split="seed") == folds(None) == direct(0, 0)


@pytest.mark.parametrize("options", [{"folds": 0}, {"folds": 2.5}, {"split": -1}, {"split": "test"}, {"split": True}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(InvalidOption, match=f"^{next(iter(options))} must be a whole number"):
        Benchmark(NAME, **options)


def test_the_small_space_of_xgboost_keeps_the_defaults_of_the_rest(cache):
    config = {"n_estimators": 5, "learning_rate": 0.3, "max_depth": 3}
    others = {"gamma": 1e-6, "min_child_weight": 1.0, "subsample": 1.0, "colsample_bytree": 1.0}
    large = Benchmark("cv-xgb-wine").objective({**config, **others, "reg_lambda": 1.0, "reg_alpha": 1e-6}, seed=0)
    assert Benchmark("cv-xgb3-wine").objective(config, seed=0).info == large.info


def test_seeds_and_configurations_are_kept_apart(cache):
    b = Benchmark("cv-rf-wine")
    config = {"n_estimators": 3, "min_samples_split": 0.1, "max_depth": 2}
    losses = {b.objective(config, seed=s).info["folds"] for s in range(4)}
    assert len(losses) > 1
    assert b.objective({**config, "max_depth": 1}, seed=0) != b.objective(config, seed=0)


def evaluate_there(config):
    return Benchmark(NAME).objective(config, seed=5)


def test_processes_that_train_the_same_agree_even_on_the_cost(cache):
    config = config_of(Benchmark(NAME), 4)
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert len(set(map(str, pool.map(evaluate_there, [config] * 8)))) == 1


def test_a_run_of_it_is_a_function_of_its_seed(cache):
    from baselines import optimizer

    def losses():
        b = Benchmark(NAME)
        return [t.result.loss for t in run(b, optimizer("rs", b.space, seed=2), n_trials=3, seed=2).trials]

    first = losses()
    for path in cache.rglob("*.sqlite"):
        path.unlink()
    assert losses() == first


def test_a_damaged_cache_is_named_and_left_alone(cache):
    b = Benchmark(NAME)
    b.objective(config_of(b), seed=0)
    (path,) = cache.rglob("*.sqlite")
    path.write_bytes(b"nonsense" * 1000)
    with pytest.raises(DamagedFile, match="delete it to train again"):
        Benchmark(NAME).objective(config_of(b), seed=0)


def test_a_cache_that_cannot_be_written_is_named(cache):
    cache.parent.mkdir(exist_ok=True)
    cache.write_text("a file where the directory should be")
    b = Benchmark(NAME)
    with pytest.raises(CacheUnavailable, match="HPO_FOUNDRY_CACHE"):
        b.objective(config_of(b), seed=0)


def test_a_locked_cache_is_waited_for_and_then_named(cache, monkeypatch):
    b = Benchmark(NAME)
    b.objective(config_of(b), seed=0)
    (path,) = cache.rglob("*.sqlite")
    monkeypatch.setattr("fcnet_data.evaluation_cache.PATIENCE", 0.1)
    with sqlite3.connect(path) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(CacheUnavailable, match="locked"):
            Benchmark(NAME).objective(config_of(b, 1), seed=0)


def test_names():
    assert {"cv-rf-diabetes", "cv-xgb-wine", "cv-lm-digits"} <= set(on_demand.listing())
    assert on_demand.make("cv-svm-wine") is None
    with pytest.raises(UnknownName, match="wine"):
        Benchmark("cv-rf-wino")
    with pytest.raises(InvalidOption, match="no option 'fold', it has folds, split"):
        Benchmark("cv-rf-wine", fold=3)
    with pytest.raises(InvalidOption, match="target and task are options of files"):
        Benchmark("cv-rf-wine", target="price")


@pytest.fixture
def own(tmp_path):
    """A file with a class first and an amount last."""
    rng = np.random.default_rng(0)
    lines = [f"{'uv'[i % 2]},{i % 2 + rng.normal():.4f},{rng.normal():.4f},{i % 5}" for i in range(60)]
    (tmp_path / "own.csv").write_text("kind,a,b,stars\n" + "\n".join(lines))
    return tmp_path / "own.csv"


@pytest.mark.parametrize(
    ("options", "task"),
    [({}, "classification"), ({"task": "regression"}, "regression"), ({"target": "kind"}, "classification")],
)
def test_a_file_has_its_last_column_as_target_unless_another_is_named(own, cache, options, task):
    b = Benchmark(f"cv-lm-{own}", **options)
    config = config_of(b)
    found = b.objective(config, seed=1)
    dataset = open_dataset(own, **options)
    assert dataset.task == task and dataset.target_name == options.get("target", "stars")
    assert found.loss == cross_validate(trainer("linear"), config, dataset, seed=1).valid_loss
    assert b.provenance["target"] == f"{dataset.target_name}, {task}"
    assert [path.parent for path in cache.rglob("*.sqlite")] == [cache / "trained-1"]  # no folders of the path in it


def test_a_store_tells_two_contents_of_a_file_apart(own, cache):
    from hpo_leaderboard.experiments.identity import checksum

    def checksums():
        problems = [Benchmark(f"cv-{key}-{own}", target="kind").problem for key in ("lm", "rf")]
        return [checksum(problem, "fcnet_data.on_demand") for problem in problems]

    before = checksums()
    assert before == checksums() and before[0] != before[1]
    own.write_text(own.read_text() + "\nu,1,2,3")
    assert not set(before) & set(checksums())
    wine = Benchmark("cv-lm-wine").problem
    other = replace(wine, dataset=replace(wine.dataset, target=wine.dataset.target[::-1].copy()))  # of another release
    assert checksum(wine, "fcnet_data.on_demand") != checksum(other, "fcnet_data.on_demand")


def test_options_of_files(own):
    with pytest.raises(InvalidOption, match="no option 'tarjet', it has folds, split, target, task"):
        Benchmark(f"cv-lm-{own}", tarjet="kind")
    with pytest.raises(InvalidOption, match="did you mean kind"):
        Benchmark(f"cv-lm-{own}", target="kin")
    with pytest.raises(InvalidOption, match="options of files"):
        Benchmark("cv-lm-wine", target="alcohol")
