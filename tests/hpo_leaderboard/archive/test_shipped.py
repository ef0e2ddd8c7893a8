"""The archive that comes with the package: its size, who is in it, and that it is of this code."""

import pytest

from hpo_leaderboard.archive.checks.installed import OTHER, compared_code
from hpo_leaderboard.archive.checks.rerunning import EQUAL, altered_runs, rerun, sampled_rows
from hpo_leaderboard.archive.packed.archive_file import read_archive
from hpo_leaderboard.archive.packed.overview import holdings
from hpo_leaderboard.archive.ranking import make_field
from hpo_leaderboard.archive.shipped import shipped_archive
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.code.numerics import numerics
from hpo_leaderboard.experiments.identity import open_benchmark
from hpo_leaderboard.experiments.suite import open_suite
from hpo_leaderboard.store.file.descriptions import read_description

MEGABYTES = 15
FCNET = ["naval", "parkinsons", "protein", "slice"]


@pytest.fixture(scope="module")
def shipped():
    return read_archive(shipped_archive())


def test_it_is_small_and_says_what_it_is(shipped):
    assert shipped_archive().stat().st_size <= MEGABYTES * 1e6
    assert {"title", "licence", "contact", "note"} <= set(shipped.card)
    assert {"hpo-foundry", "python", "numpy"} <= set(shipped.about)


def test_twenty_methods_ran_on_every_fcnet_table_with_enough_seeds(shipped):
    held = [each for each in holdings(shipped) if each.benchmark in FCNET]
    for benchmark in FCNET:
        own = {each.optimizer: each.n_runs for each in held if each.benchmark == benchmark}
        assert len(own) >= 20
        assert own["rs"] == own["tpe"] == 50 and own["gp"] >= 10 and min(own.values()) >= 5


def test_every_standard_suite_is_there_under_its_limits(shipped):
    for name in ("fcnet", "mini", "nb201", "taskset", "lcbench", "profet-svm", "profet-fcnet", "profet-xgboost"):
        assert make_field(shipped, open_suite(name)).rows


def test_every_entry_is_of_the_code_that_is_installed(shipped):
    members = {(said["name"], said["version"]) for said in (read_description(t)["optimizer"] for t in shipped.settings)}
    assert [name for name, version in sorted(members) if compared_code(name, version) == OTHER] == []


def test_the_tables_that_come_along_are_those_of_its_entries(shipped):
    tasks = [task for task in shipped.tasks if task.benchmark.startswith(("mini-", "taskset/0", "lcbench/3945"))]
    assert len(tasks) >= 6
    for task in tasks:
        assert open_benchmark(task.benchmark, {}).checksum == task.checksum


@pytest.mark.slow
def test_every_run_has_its_digest_and_a_sample_comes_out_again(shipped):
    assert list(altered_runs(shipped)) == []
    fast = {"rs", "grid", "re", "de", "reinforce", "sh", "hyperband", "asha"}
    rows = [row for row in sampled_rows(shipped, 0.05, 0) if shipped.said(row)["optimizer"]["name"] in fast]
    tables = [row for row in rows if shipped.said(row).get("numerics") in (None, numerics())][:100]
    assert {each.outcome for each in rerun(shipped, tables, make_engine("serial"))} == {EQUAL}
