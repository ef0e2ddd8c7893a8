"""Merging and copying stores: whole or not at all, and nothing is overwritten."""

import multiprocessing
import sqlite3

import pytest

from hpo_cli.main import main
from hpo_core.errors import DamagedFile, InvalidOption
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.execution import execute
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.suite import changed, make_suite
from hpo_leaderboard.store.joining import copy_store, merge_stores
from hpo_leaderboard.store.schema import ConflictingRuns
from hpo_leaderboard.store.store import reading, writing

SMALL = make_suite("small", ["branin"], ["rs", "de"], n_seeds=2, n_trials=4)


@pytest.fixture
def path(tmp_path):
    run_experiment(SMALL, tmp_path / "small.sqlite", make_engine("serial"))
    return tmp_path / "small.sqlite"


def everything(path):
    """All that a store holds."""
    connection = sqlite3.connect(path)
    tables = ("runs", "overheads", "tasks", "suites", "about", "totals")
    rows = {table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables}
    connection.close()
    return rows


def altered(path, name, **changes):
    """A copy of a store whose task says something else, sealed as if it had been stored so."""
    copy = path.with_name(name)
    copy_store(path, copy)
    with writing(copy) as store:
        store.add_tasks([store.tasks()[0]._replace(**changes)], {})
    return copy


@pytest.mark.parametrize("changes", [{"optimum": -1000.0}, {"test_optimum": 0.0}, {"n_budgets": 7}, {"family": "x"}])
def test_a_task_that_says_something_else_is_refused_and_nothing_is_merged(path, changes):
    other = altered(path, "other.sqlite", **changes)
    run_experiment(changed(SMALL, n_seeds=3), other, make_engine("serial"))  # there are new runs in it
    other = altered(other, "again.sqlite", **changes)  # the experiment wrote what is right
    before = everything(path)
    with pytest.raises(ConflictingRuns, match="different things about benchmark 'branin'"):
        merge_stores(path, [other])
    assert everything(path) == before


def test_other_words_about_the_origin_are_no_conflict(path):
    other = altered(path, "other.sqlite", provenance='{"source": "elsewhere"}')
    assert merge_stores(path, [other]) == 0
    with reading(path) as store:
        assert "elsewhere" not in store.tasks()[0].provenance


def test_a_suite_that_is_scored_otherwise_is_refused(path, tmp_path):
    lowest = make_suite("small", ["branin"], ["rs"], n_seeds=1, n_trials=4, incumbent="lowest-loss")
    run_experiment(lowest, tmp_path / "other.sqlite", make_engine("serial"))
    before = everything(path)
    with pytest.raises(ConflictingRuns, match="score suite 'small' differently"):
        merge_stores(path, [tmp_path / "other.sqlite"])
    assert everything(path) == before


def test_a_merge_that_is_refused_late_leaves_no_trace(path, tmp_path):
    """The first source is good, the last run of the second is damaged."""
    good, bad = tmp_path / "good.sqlite", tmp_path / "bad.sqlite"
    run_experiment(changed(SMALL, first_seed=5), good, make_engine("serial"))
    run_experiment(changed(SMALL, first_seed=9), bad, make_engine("serial"))
    connection = sqlite3.connect(bad)
    with connection:
        connection.execute("UPDATE runs SET configs = numbers WHERE position = (SELECT max(position) FROM runs)")
    connection.close()
    before = everything(path)
    for target in (path, tmp_path / "new.sqlite"):
        with pytest.raises(DamagedFile, match=r"bad\.sqlite"):
            merge_stores(target, [good, bad])
    assert everything(path) == before
    assert not list(tmp_path.glob("new.sqlite*"))


def test_a_copy_equals_its_store_and_is_one_file(path, tmp_path, capsys):
    assert main(["store", "copy", str(path), str(tmp_path / "copies" / "copy.sqlite")]) == 0
    assert "copied 4 runs" in capsys.readouterr().out
    assert everything(tmp_path / "copies" / "copy.sqlite") == everything(path)
    assert [file.name for file in (tmp_path / "copies").iterdir()] == ["copy.sqlite"]
    with pytest.raises(InvalidOption, match="is there already"):
        copy_store(path, path)
    with pytest.raises(FileNotFoundError):
        copy_store(tmp_path / "nowhere.sqlite", tmp_path / "x.sqlite")
    assert not list(tmp_path.glob("x.sqlite*"))


def test_a_copy_of_a_live_store_has_what_was_stored_so_far(tmp_path):
    """The last runs lie in the log beside the file, which `cp` of the file alone would lose."""
    job = make_plan(SMALL).jobs[0]
    with writing(tmp_path / "live.sqlite") as store:
        store.add([(job, execute(job))])
        assert copy_store(tmp_path / "live.sqlite", tmp_path / "copy.sqlite") == 1
        with reading(tmp_path / "copy.sqlite") as copy:
            assert list(copy.damages()) == [] and copy.digest() == store.digest()


def _write(path, ready, stop):
    jobs = make_plan(changed(SMALL, n_seeds=400)).jobs
    with writing(path) as store:
        for job in jobs:
            store.add([(job, execute(job))])
            ready.set()
            if stop.is_set():
                return


@pytest.mark.slow
def test_copies_of_a_store_that_grows_are_all_sound(tmp_path):
    ready, stop = multiprocessing.Event(), multiprocessing.Event()
    process = multiprocessing.Process(target=_write, args=(tmp_path / "live.sqlite", ready, stop))
    process.start()
    try:
        assert ready.wait(60)
        counts = [copy_store(tmp_path / "live.sqlite", tmp_path / f"{i}.sqlite") for i in range(20)]
    finally:
        stop.set()
        process.join()
    assert counts == sorted(counts) and counts[-1] > 0
    for i in range(20):
        with reading(tmp_path / f"{i}.sqlite") as store:
            assert list(store.damages()) == []
