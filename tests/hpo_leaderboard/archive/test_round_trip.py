"""A store and its archive: the same runs, the same scores, few bytes."""

import numpy as np
import pandas as pd
import pytest
from small_archives import archive_file, packed, run_store

from hpo_leaderboard.archive.packed.archive_file import read_archive, write_archive
from hpo_leaderboard.archive.packed.opening import fill_store
from hpo_leaderboard.report import score_store
from hpo_leaderboard.scores.curves import curve_summary
from hpo_leaderboard.scores.incumbents import incumbents
from hpo_leaderboard.scores.overheads import overheads
from hpo_leaderboard.scores.references import references
from hpo_leaderboard.store.store import reading

TABLES = ["mini-airfoil", "taskset/0", "nb201-cifar10"]
OTHERS = ["branin", "lcbench/3945", "profet-svm/0"]


def opened(archive, folder):
    """Path of the store that an archive is opened as."""
    assert fill_store(archive, folder / "opened.sqlite") == []
    return folder / "opened.sqlite"


@pytest.mark.parametrize("workers", [1, 3])
def test_runs_on_tables_come_back_to_the_last_bit(tmp_path, workers):
    store = run_store(tmp_path / "a.sqlite", TABLES, ["rs", "hyperband", "asha"], workers=workers)
    archive = packed(store)
    assert archive.columns["is_lookup"].all()
    with reading(store) as before, reading(opened(archive, tmp_path)) as after:
        assert before.digest() == after.digest() == archive.digest()
        for one, other in zip(before.runs(), after.runs(), strict=True):
            assert one.contents() == other.contents()
            assert one._replace(position=0, seal=b"", numbers=b"", configs=b"") == other._replace(
                position=0, seal=b"", numbers=b"", configs=b""
            )


def test_failed_trainings_are_not_continued(tmp_path):
    """On these tables of TaskSet trainings diverge, which decides what a later trial of the same configuration does."""
    store = run_store(tmp_path / "a.sqlite", ["taskset/6", "taskset/11"], ["asha"], n_trials=60)
    with reading(store) as before:
        assert before.frames(configs=False).trials["failed"].any()
    archive = packed(store)
    assert archive.columns["is_lookup"].all()
    with reading(opened(archive, tmp_path)) as after:
        assert after.digest() == archive.digest()


def tables_of_scores(path):
    """Everything that the report shows of a store, as data frames."""
    scored = score_store(path)
    with reading(path) as store:
        frames = store.frames(configs=False)
    groups = [table for group in scored.groups for table in (group.board, group.targets.table, group.incumbents)]
    runs = frames.runs.drop(columns="stored")
    steps = [curve_summary(group.incumbents, over, n_samples=10) for group in scored.groups for over in group.axes]
    low = incumbents(frames.trials, frames.tasks, "lowest-loss")
    return [*groups, runs, references(frames.trials, frames.tasks), overheads(frames.runs), *steps, low]


@pytest.mark.parametrize("benchmarks", [TABLES[:1], OTHERS])
def test_scores_of_a_store_and_of_its_archive_are_equal(tmp_path, benchmarks):
    store = run_store(tmp_path / "a.sqlite", benchmarks, ["rs", "de", "hyperband"], n_seeds=3, n_trials=20)
    file = archive_file(tmp_path / "a.h5", store)
    after = opened(read_archive(file), tmp_path)
    for one, other in zip(tables_of_scores(store), tables_of_scores(after), strict=True):
        hidden = ["seconds"] if "evaluation" in one else []  # of trials between those where the incumbent changes
        pd.testing.assert_frame_equal(one.drop(columns=hidden), other.drop(columns=hidden), check_exact=True)


def test_a_file_of_the_same_runs_has_the_same_bytes_in_whatever_order_they_were_run(tmp_path):
    optimizers = ["rs", "de"]
    one = run_store(tmp_path / "a.sqlite", ["mini-wine", "branin"], optimizers)
    other = run_store(tmp_path / "b.sqlite", ["branin", "mini-wine"], optimizers[::-1])
    archives = [packed(path) for path in (one, other)]
    same = archives[0].columns["overhead"]
    for archive, name in zip(archives, "cd", strict=True):
        archive.columns["overhead"][:] = same
        write_archive(archive, tmp_path / name)
    assert (tmp_path / "c").read_bytes() == (tmp_path / "d").read_bytes()


def test_what_is_written_is_read_again(tmp_path):
    archive = packed(run_store(tmp_path / "a.sqlite", ["mini-wine", "branin"], ["rs"]), card={"title": "mine"})
    write_archive(archive, tmp_path / "a.h5")
    again = read_archive(tmp_path / "a.h5")
    for name in ("settings", "reasons", "failures", "tasks", "suites", "about", "card"):
        assert getattr(again, name) == getattr(archive, name)
    for name, values in archive.columns.items():
        np.testing.assert_array_equal(again.columns[name], values)
    np.testing.assert_array_equal(again.digests, archive.digests)


def test_a_run_that_broke_and_what_another_type_of_number_proposes_are_kept(tmp_path):
    """8.0 and 8 are the same configuration, but not the same line of JSON: such a run is kept as a trajectory."""
    optimizers = ["rs", {"name": "misbehaving:Raising", "label": "broken"}, "small_archives:Floats"]
    store = run_store(tmp_path / "a.sqlite", ["mini-wine"], optimizers)
    archive = packed(store)
    labels = [archive.said(row)["optimizer"]["label"] for row in range(archive.n_runs)]
    is_lookup = dict(zip(labels, archive.columns["is_lookup"].tolist(), strict=True))
    assert is_lookup == {"broken": 1, "rs": 1, "small_archives:Floats": 0}
    with reading(opened(archive, tmp_path)) as after:
        assert sorted(head.optimizer for head in after.heads() if head.failure) == ["broken", "broken"]


def test_a_trial_on_a_table_takes_two_bytes(tmp_path):
    """A random configuration of 62,208 has 15.9 bits, which nobody can pack."""
    seeds = (20, 120)
    sizes = []
    for n in seeds:
        store = run_store(tmp_path / f"{n}.sqlite", ["protein"], ["rs"], n_seeds=n, n_trials=100)
        sizes.append(archive_file(tmp_path / f"{n}.h5", store).stat().st_size)
    assert (sizes[1] - sizes[0]) / (seeds[1] - seeds[0]) < 100 * 2.05 + 32 + 8 + 20  # digest, overhead and the rest
