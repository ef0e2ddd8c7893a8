"""Collections: the same file whether or not they were killed, resumed, or distributed over threads or Dask."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip("numba", reason="training needs the extra 'collect'")

from fcnet_data.collection.collecting import collect
from fcnet_data.collection.grids import fcnet_grid
from fcnet_data.collection.journal import CollectionStopped, OtherCollection
from fcnet_data.collection.meta_data import META_DATA, MetaDataWork, family
from fcnet_data.collection.recorded_curves import rounded_mantissa
from fcnet_data.collection.table import FcnetTable, training_seed
from fcnet_data.datasets import InvalidDataset, open_dataset, subsample
from fcnet_data.fcnet import REGRESSION_SPACE, recipe, train, training_data
from fcnet_data.fcnet.cost import epoch_cost
from hpo_cli.main import main
from hpo_core import Benchmark
from hpo_core.errors import InvalidOption, UnknownName
from hpo_core.space.sobol import sobol
from hpo_core.storage.sealed_hdf5 import read_sealed
from tabular import TableProblem, read_table

TINY = ["n_units_1=16", "n_units_2=16,32", "batch_size=32", "init_lr=0.001,0.1", "dropout_1=0", "lr_schedule=const"]


@pytest.fixture
def rows(tmp_path):
    """A file of 200 rows."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    path = tmp_path / "rows.csv"
    lines = [",".join(f"{v:.6f}" for v in [*r, r @ [1, -2, 0.5] + 0.1 * rng.normal()]) for r in x]
    path.write_text("a,b,c,y\n" + "\n".join(lines))
    return path


@pytest.fixture
def classes(rows):
    """The same file with a class in its first column."""
    head, *lines = rows.read_text().splitlines()
    labels = ["low" if float(line.rsplit(",", 1)[1]) < 0 else "high" for line in lines]
    path = rows.with_name("classes.csv")
    path.write_text(f"kind,{head}\n" + "\n".join(map(",".join, zip(labels, lines, strict=True))))
    return path


def tiny(rows, **more):
    return FcnetTable("tiny", str(rows), fcnet_grid(TINY), n_repetitions=2, epochs=5, **more)


@pytest.mark.slow
@pytest.mark.parametrize("task", ["regression", "classification"])
def test_a_collection_killed_three_times_and_resumed_equals_the_undisturbed_one(task, rows, classes, tmp_path):
    command = [sys.executable, "-c", "from hpo_cli.main import main; raise SystemExit(main())"]
    command += ["table", "train", *([rows] if task == "regression" else [classes, "--target", "kind"]), "--grid", *TINY]
    command += ["--repetitions", "2", "--epochs", "60", "--out"]
    whole, killed = tmp_path / "whole.h5", tmp_path / "killed.h5"
    assert subprocess.run([*command, str(whole)], capture_output=True).returncode == 0
    journal = tmp_path / "killed.h5.journal"
    sizes = []
    for _ in range(3):
        process = subprocess.Popen([*command, str(killed), "--threads", "1"], stderr=subprocess.DEVNULL)
        before = journal.stat().st_size if journal.exists() else 0
        while process.poll() is None and (not journal.exists() or journal.stat().st_size <= before + 10):
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, "it ended before it was killed"
        sizes.append(journal.stat().st_size)
    assert sizes == sorted(sizes) and not killed.exists()
    assert subprocess.run([*command, str(killed)], capture_output=True).returncode == 0
    assert killed.read_bytes() == whole.read_bytes()
    assert not journal.exists()


def test_the_table_holds_what_training_gives(rows, tmp_path):
    work = tiny(rows, seed=3)
    table = read_table(collect(work, tmp_path / "t.h5", progress=False))
    problem = TableProblem(table)
    config = {**work.space.grid.config(5)}
    data = training_data(open_dataset(rows))
    seed = training_seed(3, REGRESSION_SPACE.grid.index(config), 1)
    run = train(recipe(config, "regression"), data, seed, 5)
    for budget in (1, 5):
        found = problem.evaluate(config, budget, 1)
        assert found.loss == rounded_mantissa(run.valid_loss.astype(np.float32))[budget - 1]
        assert found.info["test_loss"] == rounded_mantissa(run.test_loss.astype(np.float32))[budget - 1]
        assert found.info["n_params"] == run.n_params
        assert found.cost == pytest.approx(epoch_cost(recipe(config, "regression"), data) * budget, rel=1e-6)
    assert table.provenance["collection"]["seed"] == 3
    assert "200 rows" in table.provenance["dataset"]


@pytest.mark.slow
@pytest.mark.parametrize("task", ["regression", "classification"])
def test_the_engine_and_the_number_of_threads_do_not_matter(task, rows, classes, tmp_path):
    pytest.importorskip("distributed")
    work = tiny(rows) if task == "regression" else tiny(classes, target="kind")
    one = collect(work, tmp_path / "1.h5", n_threads=1, progress=False)
    three = collect(work, tmp_path / "3.h5", n_threads=3, progress=False)
    dask = collect(work, tmp_path / "d.h5", engine="dask", progress=False)
    assert one.read_bytes() == three.read_bytes() == dask.read_bytes()


def test_a_training_keeps_its_seed_in_a_larger_grid(rows, tmp_path):
    small = read_table(collect(tiny(rows), tmp_path / "s.h5", progress=False))
    space = fcnet_grid([*TINY, "n_units_1=16,64"])
    large_work = FcnetTable("tiny", str(rows), space, n_repetitions=2, epochs=5)
    large = read_table(collect(large_work, tmp_path / "l.h5", progress=False))
    for i, config in enumerate(small.space.configs()):
        np.testing.assert_array_equal(small.column("loss")[i], large.column("loss")[space.grid.index(config)])


def test_a_finished_file_is_not_made_again_and_another_one_not_overwritten(rows, tmp_path):
    out = collect(tiny(rows), tmp_path / "t.h5", progress=False)
    stamp = out.stat().st_mtime_ns
    assert collect(tiny(rows), out, progress=False).stat().st_mtime_ns == stamp
    with pytest.raises(OtherCollection, match="holds something else"):
        collect(tiny(rows, seed=1), out, progress=False)
    with pytest.raises(OtherCollection, match="is a directory"):
        collect(tiny(rows), tmp_path, progress=False)


def test_a_file_that_changes_under_way_stops_the_collection(rows, tmp_path):
    work = tiny(rows)
    assert work.settings["data"]
    rows.write_text(rows.read_text() + "\n1,2,3,4")
    with pytest.raises(InvalidDataset, match="has changed since the collection began"):
        work.measure(0)


def test_the_folder_of_a_file_does_not_matter(rows, tmp_path):
    copy = tmp_path / "elsewhere" / rows.name
    copy.parent.mkdir()
    copy.write_bytes(rows.read_bytes())
    here = collect(tiny(rows), tmp_path / "1.h5", progress=False)
    there = collect(tiny(copy), tmp_path / "2.h5", progress=False)
    assert here.read_bytes() == there.read_bytes()


def test_two_collectors_on_one_file(rows, tmp_path):
    from filelock import FileLock

    with FileLock(tmp_path / "t.h5.lock"), pytest.raises(CollectionStopped, match="another process"):
        collect(tiny(rows), tmp_path / "t.h5", progress=False)


def test_grids_that_do_not_exist_are_refused():
    with pytest.raises(UnknownName, match="one of full, B"):
        fcnet_grid(["C"])
    with pytest.raises(UnknownName, match="n_units_1"):
        fcnet_grid(["n_units=16"])
    with pytest.raises(InvalidOption, match="batch_size must be some of 8, 16, 32, 64, got 8, 12"):
        fcnet_grid(["batch_size=8,12"])
    assert fcnet_grid(["full"]) == REGRESSION_SPACE
    assert fcnet_grid(["dropout_1=0", "init_lr=1e-3"]).size == 62_208 // 18


def test_numbers_of_repetitions_epochs_and_rows_are_checked(rows):
    for wrong in ({"n_repetitions": 0}, {"epochs": 0}, {"epochs": 101}):
        with pytest.raises(InvalidOption):
            FcnetTable("tiny", str(rows), fcnet_grid(TINY), **wrong)


def test_families_of_meta_data_refuse_the_other_task(rows, tmp_path):
    with pytest.raises(InvalidDataset, match="for classification is needed here, 'diabetes' is for regression"):
        collect(MetaDataWork("svm", ("diabetes",), 2), tmp_path / "m.h5", progress=False)
    with pytest.raises(InvalidDataset, match="for regression is needed here, 'wine' is for classification"):
        collect(MetaDataWork("xgboost", ("wine",), 2), tmp_path / "m.h5", progress=False)


def test_meta_data_of_files_have_the_target_that_was_named(classes, tmp_path):
    work = MetaDataWork("svm", ("wine", str(classes)), 2, n_rows=100, target="kind")
    header, _ = read_sealed(collect(work, tmp_path / "m.h5", progress=False), META_DATA)
    assert [(task["name"], task["classes"]) for task in header["tasks"]] == [("wine", 3), ("classes", 2)]
    assert header["tasks"][1]["data"] == subsample(open_dataset(classes, target="kind"), 100).digest


def test_rounding_keeps_fourteen_bits():
    rng = np.random.default_rng(0)
    x = np.exp(rng.uniform(-20, 20, 1000)).astype(np.float32)
    y = rounded_mantissa(x)
    assert np.max(np.abs(y / x.astype(float) - 1)) <= 2.0**-15
    assert not (y.view(np.uint32) & 0x1FF).any()
    np.testing.assert_array_equal(rounded_mantissa(y), y)


@pytest.mark.parametrize("name", ["svm", "fcnet", "xgboost"])
def test_meta_data_of_a_family(name, tmp_path):
    if name == "xgboost":
        pytest.importorskip("xgboost")
    datasets = ("diabetes",) if name == "xgboost" else ("wine", "breast-cancer")
    work = MetaDataWork(name, datasets, 5, n_rows=100)
    header, arrays = read_sealed(collect(work, tmp_path / "m.h5", progress=False), META_DATA)
    assert arrays["loss"].shape == arrays["cost"].shape == arrays["test_loss"].shape == (len(datasets), 5)
    assert (arrays["cost"] > 0).all()
    if name != "xgboost":
        assert ((arrays["loss"] >= 0) & (arrays["loss"] <= 1)).all()
    assert arrays["unit"].shape == (5, len(family(name).space))
    assert [task["name"] for task in header["tasks"]] == list(datasets)
    _, again = read_sealed(collect(work, tmp_path / "n.h5", n_threads=2, progress=False), META_DATA)
    for column in ("unit", "loss", "test_loss"):
        np.testing.assert_array_equal(arrays[column], again[column])


def test_sobol_points_of_a_longer_sample_begin_with_those_of_a_shorter_one():
    np.testing.assert_array_equal(sobol(3, 5, 0), sobol(3, 8, 0)[:5])
    assert np.abs(np.bincount((sobol(1, 64, 1)[:, 0] * 8).astype(int)) - 8).max() == 0


def test_the_command_line_collects(capsys, tmp_path):
    out = tmp_path / "svm.h5"
    arguments = ["collect", "svm", "--datasets", "wine", "--configs", "3", "--out", str(out)]
    assert main(arguments) == 0
    assert f"wrote {out}" in capsys.readouterr().out
    assert main(["collect", "svn", "--out", str(out)]) == 2
    assert "svm" in capsys.readouterr().err


def test_an_own_table_becomes_a_benchmark(rows, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("HPO_FOUNDRY_CACHE", str(tmp_path / "cache"))
    out = tmp_path / "t.h5"
    arguments = ["table", "train", str(rows), "--grid", *TINY, "--repetitions", "1", "--epochs", "4", "--out", str(out)]
    assert main(arguments) == 0
    assert main(["table", "import", str(out), "--name", "own"]) == 0
    b = Benchmark("own")
    assert list(b.budgets) == [1, 2, 3, 4]
    assert b.objective(b.space.sample(np.random.default_rng(0)), budget=2).loss > 0
    assert main(["table", "stats", str(out)]) == 0
    assert "budget correlation" in capsys.readouterr().out


def test_modelled_cost_is_that_of_the_machine_within_a_factor(rows):
    data = training_data(open_dataset("diabetes"))
    ratios = []
    for config in fcnet_grid(["B"]).sample(np.random.default_rng(1), 12):
        made = recipe(config, "regression")
        measured = min(train(made, data, 0, 4).runtime for _ in range(3)) / 4
        ratios.append(np.log(epoch_cost(made, data) / measured))
    assert np.std(ratios) < 0.6  # another machine may be faster or slower, but for all networks alike
