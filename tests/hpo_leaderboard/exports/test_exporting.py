"""Exports as directories that appear whole or not at all, from memory, from stores and from the command line."""

import pytest

import hpo_foundry as hpo
from hpo_cli.main import main
from hpo_core.errors import CannotWrite, InvalidOption
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.exports import exporting
from hpo_leaderboard.exports.exporting import FORMATS, ExportedRuns, export_runs, export_store


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "own.sqlite"
    names = ["bbob/f1-i1..2-d2", "branin"]
    suite = make_suite("own", names, ["rs", {"name": "de", "label": "de/1"}], n_seeds=2, n_trials=20)
    run_experiment(suite, path, make_engine("serial"))
    return path


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("form", FORMATS)
def test_a_store_and_its_runs_in_memory_give_the_same_files(store, tmp_path, form):
    """Runs of a leaderboard have seeds of their own, so that equal runs come from the store's frames."""
    exported = export_store(store, tmp_path / "a", form)
    assert exported[:2] == ((8, 160) if form == "coco" else (12, 240))
    with exporting.reading(store) as opened:
        again = export_runs(opened.frames().trials, tmp_path / "b", form)
    assert again == exported and files(tmp_path / "a") == files(tmp_path / "b") != {}


def test_runs_are_chosen_as_everywhere(store, tmp_path):
    chosen = {"optimizers": ["rs"], "benchmarks": ["bbob/*"], "seeds": range(1)}
    assert export_store(store, tmp_path / "a", "ioh", chosen) == ExportedRuns(2, 40, [])
    assert [path.name for path in (tmp_path / "a" / "bbob").iterdir()] == ["rs"]


@pytest.mark.parametrize("form", FORMATS)
def test_a_directory_that_is_not_empty_is_left_alone(store, tmp_path, form):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.txt").write_text("mine")
    with pytest.raises(CannotWrite, match=r"new or empty directory.*holds files; remove it, or take another"):
        export_store(store, tmp_path / "there", form)
    with pytest.raises(CannotWrite, match="is a file"):
        export_store(store, tmp_path / "there" / "mine.txt", form)
    assert files(tmp_path) == {"there/mine.txt": b"mine"}
    (tmp_path / "empty").mkdir()
    assert export_store(store, tmp_path / "empty", form).n_runs > 0


def test_an_export_that_breaks_leaves_nothing_behind(store, tmp_path, monkeypatch):
    def breaks(runs, folder, comment):
        folder.mkdir(parents=True)
        (folder / "half").write_text("half")
        raise OSError("no space left on device")

    monkeypatch.setitem(exporting.FORMATS, "ioh", breaks)
    with pytest.raises(CannotWrite, match="no space left on device"):
        export_store(store, tmp_path / "new" / "x", "ioh")
    assert files(tmp_path) == {} and not (tmp_path / "new" / "x").exists()


def test_wrong_formats_and_nothing_to_export(store, tmp_path):
    with pytest.raises(InvalidOption, match="must be one of coco, ioh, got 'cocoa'; did you mean coco"):
        export_store(store, tmp_path / "x", "cocoa")
    with pytest.raises(InvalidOption, match="list of runs"):
        export_runs([], tmp_path / "x", "ioh")
    assert not (tmp_path / "x").exists()


def test_the_command_line(store, tmp_path, capsys):
    def call(*arguments):
        status = main(["store", "export", str(store), *map(str, arguments)])
        captured = capsys.readouterr()
        return status, captured.out + captured.err

    status, text = call("--out", tmp_path / "c", "--format", "coco")
    assert status == 0 and "left out: branin: COCO's format" in text and "wrote 8 runs with 160 evaluations" in text
    assert (tmp_path / "c" / "bbob" / "de_1" / "bbobexp_f1.info").is_file()
    assert call("--out", tmp_path / "i", "--format", "ioh", "--benchmarks", "branin")[1].startswith("wrote 4 runs")
    status, text = call("--out", tmp_path / "d", "--format", "coco", "--benchmarks", "branin")
    assert status == 2 and "--format ioh" in text and not (tmp_path / "d").exists()
    status, text = call("--out", tmp_path / "folder")
    assert status == 2 and "--format coco" in text


def test_it_is_part_of_the_facade():
    assert hpo.export_runs is export_runs
