"""From a dataset to a benchmark in one go: names, replacement, and what is left behind."""

import numpy as np
import pytest

pytest.importorskip("numba", reason="training needs the extra 'collect'")

from fcnet_data.collection import own_table
from fcnet_data.collection.collecting import collect
from fcnet_data.collection.grids import fcnet_grid
from fcnet_data.collection.own_table import collect_as_benchmark
from fcnet_data.collection.table import FcnetTable
from hpo_core import Benchmark
from hpo_core.errors import InvalidOption, NameTaken
from tabular import TableProblem, read_table
from tabular.families import open_table, own_tables

GRID = ["n_units_1=16", "n_units_2=16", "batch_size=64", "init_lr=0.005", "dropout_1=0", "dropout_2=0"]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HPO_FOUNDRY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def work(name="own", **more):
    return FcnetTable(name, "wine", fcnet_grid(GRID), n_repetitions=1, epochs=2, **more)


def make(name="own", replace=False, **more):
    return collect_as_benchmark(work(name, **more), replace=replace, progress=False)


def test_the_table_is_a_benchmark_and_nothing_else_is_left(cache, tmp_path):
    path = make()
    assert path == own_tables.path("own")
    b = Benchmark("own")
    file = collect(work(), tmp_path / "own.h5", progress=False)
    config = b.space.sample(np.random.default_rng(0))
    assert b.objective(config, 1, seed=0) == Benchmark(TableProblem(read_table(file))).objective(config, 1, seed=0)
    assert [p.name for p in (cache / own_table.FOLDER).iterdir() if p.suffix != ".lock"] == []


def test_the_same_collection_is_not_made_again(monkeypatch):
    stamp = make().stat().st_mtime_ns
    monkeypatch.setattr(own_table, "collect", None)  # would raise if it were called
    assert make().stat().st_mtime_ns == stamp


def test_another_table_of_that_name_is_replaced_on_demand_only():
    make()
    with pytest.raises(NameTaken, match=r"another table of yours.*--replace"):
        make(seed=1)
    assert open_table("own").provenance["collection"]["seed"] == 0
    make(seed=1, replace=True)
    assert open_table("own").provenance["collection"]["seed"] == 1


def test_names_of_others_are_refused_before_anything_is_trained(monkeypatch):
    monkeypatch.setattr(own_table, "collect", None)
    with pytest.raises(NameTaken, match="built-in table"):
        make("protein")
    with pytest.raises(NameTaken, match="no table"):
        make("branin", replace=True)
    with pytest.raises(InvalidOption, match="letters, digits"):
        make("my own")


def test_a_collection_that_was_stopped_goes_on(monkeypatch, cache):
    done = []
    measure = FcnetTable.measure

    def interrupted(self, item):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(item)
        return measure(self, item)

    monkeypatch.setattr(FcnetTable, "measure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        collect_as_benchmark(work(), n_threads=1, progress=False)
    assert not own_tables.has("own")
    monkeypatch.setattr(FcnetTable, "measure", lambda self, item: done.append(item) or measure(self, item))
    make()
    assert own_tables.has("own") and len(done) < 3 + work().space.size
