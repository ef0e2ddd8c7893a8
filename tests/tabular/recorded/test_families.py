"""Names, files and opening of the recorded tables."""

import pickle
import re
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

from hpo_core import Benchmark, benchmarks
from hpo_core.errors import DamagedFile, HpoError, InvalidOption, MissingExtra, NotRecorded, UnknownName
from hpo_core.facts import facts_of
from hpo_core.storage.sealed_hdf5 import read_sealed
from tabular import open_table
from tabular.families import related_tables
from tabular.packages.built import built_path
from tabular.recorded import nas_graph, opening
from tabular.recorded.catalogue import FAMILIES, recorded_tables
from tabular.recorded.family_file import RECORDED, read_instance
from tabular.recorded.opening import open_recorded, shipped_family

SHIPPED = [family for family in FAMILIES.values() if not family.extra]


@pytest.mark.parametrize("family", SHIPPED, ids=lambda family: family.name)
def test_the_catalogue_names_what_the_file_holds(family):
    header, arrays = read_sealed(shipped_family(family.name), RECORDED)
    assert list(header["instances"]) == sorted(family.instances)  # JSON has its keys sorted
    ends = sorted(tuple(instance["rows"]) for instance in header["instances"].values())
    assert [first for first, _ in ends] == [0, *(end for _, end in ends[:-1])]
    assert {len(array) for name, array in arrays.items() if name not in header["common"]} == {ends[-1][1]}
    for key in ("source", "licence", "paper", "loss", "cost", "repetitions"):
        assert header["provenance"][key]
    assert (header["budgets"][0], header["budgets"][-1]) == family.budgets


@pytest.mark.parametrize("family", SHIPPED, ids=lambda family: family.name)
def test_the_licence_and_the_commit_are_in_the_notice(family, request):
    notice = (request.config.rootpath / "NOTICE").read_text()
    source = read_sealed(shipped_family(family.name), RECORDED)[0]["provenance"]["source"]
    assert f"{family.name}.h5" in notice
    assert re.search(r"commit (\w{7})", source).group(1) in notice


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_a_list_shows_one_line_for_a_family(family):
    listed = [name for name, entry in benchmarks().items() if entry.family == family.name]
    assert listed == [f"{family.name}/{instance}" for instance in family.instances]
    facts = {facts_of(family.name, name) for name in listed}
    assert len(facts) == 1
    assert facts.pop().group == f"{family.name}/*"
    assert set(listed) <= set(recorded_tables())


@pytest.mark.parametrize("family", SHIPPED, ids=lambda family: family.name)
def test_opening_one_of_many_takes_milliseconds(family):
    name = f"{family.name}/{list(family.instances)[-1]}"
    times = []
    for _ in range(5):
        open_recorded.cache_clear()
        start = time.process_time()
        open_recorded(name)
        times.append(time.process_time() - start)
    assert min(times) < 0.05


def test_an_open_table_is_kept_and_cannot_be_altered():
    table = open_table("openml-rf/3")
    assert open_table("openml-rf/3") is table
    for array in table.columns.values():
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("taskset/12", "the nearest are 11, 10, 9"),
        ("openml-rf/4", "the nearest are 3, 6, 11"),
        ("openml-adaboost/x", "hpo list --family openml-adaboost"),
        ("xgboost-tables/hart", "did you mean heart"),
        ("deepar/", "hpo list --family deepar"),
        ("taskset", "needs an instance"),
    ],
)
def test_an_unknown_instance_names_the_nearest(name, words):
    for make in (Benchmark, open_table):
        with pytest.raises(UnknownName, match=re.escape(words)):
            make(name)


def test_other_names_are_left_to_other_families():
    with pytest.raises(UnknownName, match="no benchmark 'tasksets/3'"):
        Benchmark("tasksets/3")


def test_options_and_budgets_that_are_not_there():
    with pytest.raises(InvalidOption, match="no option 'metrics'; did you mean metric"):
        Benchmark("deepar/solar", metrics="rmse")
    b = Benchmark("deepar/solar", metric="rmse")
    config = b.problem.best()
    assert b.objective(config).loss == Benchmark("deepar/solar").objective(config).info["rmse"] == b.optimum
    for wrong in (lambda: b.objective(config, 0.5), lambda: Benchmark("openml-rf/3").curve(open_best("openml-rf/3"))):
        with pytest.raises(NotRecorded, match="taskset/0"):
            wrong()
    with pytest.raises(HpoError, match=r"one of 1\.\.51"):
        Benchmark("taskset/0").objective(open_best("taskset/0"), 52)


def open_best(name):
    return Benchmark(name).problem.best()


def test_tables_over_the_same_list_are_related():
    others = related_tables(open_table("taskset/3"))
    assert len(others) == 11 and all(other.space == open_table("taskset/3").space for other in others)
    assert related_tables(open_table("openml-rf/3")) == []


def test_lowest_losses_are_in_the_provenance():
    table = open_table("taskset/2")
    assert table.provenance["optimum"]["test_loss"] == table.columns["test_loss"][:, 0, -1].min()
    assert Benchmark("taskset/2").optimum == table.columns["loss"][:, 0, -1].min()


def test_a_damaged_file_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "deepar.h5"
    data = bytearray(shipped_family("deepar").read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(DamagedFile, match="checksum"):
        read_instance(path, "solar")
    monkeypatch.setattr(opening, "shipped_family", lambda family: path)
    open_recorded.cache_clear()
    with pytest.raises(DamagedFile, match="checksum"):
        open_recorded("deepar/solar")


# --- NAS-Bench-Graph -------------------------------------------------------------------------------------------------


def test_the_architectures_are_those_of_one_form_for_each_graph():
    space = open_table("nas-graph/cora").space
    assert space.size == 26_206
    assert space == open_table("nas-graph/pubmed").space
    # four nodes at the input are a set of operations: one order of each; what follows a node is ordered by it
    counts = np.bincount(space.listed[:, 0])
    assert counts.tolist() == [330, 2304, 2880, 2080, 4096, 1440, 5120, 3276, 4680]
    of_one_input = space.listed[space.listed[:, 0] == 0][:, 1:]
    assert (np.diff(of_one_input, axis=1) >= 0).all()


def test_a_pickle_with_other_globals_is_refused(tmp_path):
    class Evil:
        def __reduce__(self):
            return (print, ("called",))

    refused = "plain data only, this one refers to"
    for content, words in ((Evil(), refused), ({0: np.arange(3)}, refused), (np.float32(1.0), "numbers of type 'f4'")):
        path = tmp_path / "some.bench"
        path.write_bytes(pickle.dumps(content, protocol=3))
        with pytest.raises(DamagedFile, match=f"{words}.*reinstall nas-bench-graph"):
            nas_graph.read_graph(path, "cora")


def test_a_package_that_was_cut_off_is_refused(tmp_path):
    path = tmp_path / "cora.bench"
    path.write_bytes(nas_graph.package_file("cora").read_bytes()[:50_000])
    with pytest.raises(DamagedFile, match="reinstall"):
        nas_graph.read_graph(path, "cora")
    path.write_bytes(pickle.dumps({0: {}}))
    with pytest.raises(DamagedFile, match="1 architectures instead of 26206"):
        nas_graph.read_graph(path, "cora")


def test_without_the_package_the_extra_is_named(monkeypatch):
    shutil.rmtree(built_path("nas-graph/photo").parent, ignore_errors=True)
    monkeypatch.setattr(nas_graph, "find_spec", lambda name: None)
    open_recorded.cache_clear()
    with pytest.raises(MissingExtra, match=r"hpo-foundry\[nas-graph\]"):
        Benchmark("nas-graph/photo")
    open_recorded.cache_clear()


def test_families_are_imported_without_heavy_packages():
    code = (
        "import sys, tabular.recorded.families; print([m for m in ('pandas', 'h5py', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
