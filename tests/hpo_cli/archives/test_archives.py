"""`hpo archive`, and the commands that compare with archived runs."""

import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from small_archives import archive_file, rewritten, run_store

from hpo_leaderboard.archive.packed.archive_file import read_archive
from hpo_leaderboard.experiments.identity import optimizer_version
from hpo_leaderboard.store.store import reading

SUITE = """\
name = "small"
benchmarks = ["mini-wine", "branin"]
optimizers = ["rs", "de"]
n_seeds = 3
n_trials = 8
"""
CARD = ("--title", "Mine 1.0", "--licence", "CC-BY-4.0", "--contact", "me@example.org")
MINE = """\
import numpy as np
from hpo_core import Proposal


class Mine:
    def __init__(self, space, *, budgets=(1,), seed=0):
        self.space, self.rng = space, np.random.default_rng(seed)

    def ask(self):
        return Proposal(self.space.sample(self.rng))

    def tell(self, proposal, loss, cost):
        pass
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, with a suite and an optimizer of a user."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "archived_search", raising=False)
    (tmp_path / "small.toml").write_text(SUITE)
    (tmp_path / "archived_search.py").write_text(MINE)
    return tmp_path


@pytest.fixture
def no_page(monkeypatch):
    """`hpo leaderboard` writes no page, which takes most of its time."""
    monkeypatch.setattr("hpo_leaderboard.report.write_report", lambda scored, folder: folder / "index.html")


@pytest.fixture
def built(hpo, folder):
    """An archive of the suite with a few optimizers."""
    made = hpo("archive", "build", "small.toml", "--optimizers", "rs,de", "--out", "a.h5", "--engine", "serial")
    assert made.status == 0 and "12 runs in" in made.out
    return folder / "a.h5"


@pytest.mark.slow
def test_every_optimizer_that_can_run_is_planned_and_nothing_is_run(hpo, folder):
    planned = hpo("archive", "build", "small.toml", "--dry-run", "--json", "--without", "lc-gp", "--seeds", "2")
    runs = {row["optimizer"]: row["n_runs"] for row in planned.rows}
    assert planned.status == 0 and runs["rs"] == 4 and runs["hyperband"] == 2 and "lc-gp" not in runs
    assert not (folder / "archive").exists()


def test_shards_are_the_whole(hpo, built, folder):
    for i in (1, 2):
        words = ("--shard", f"{i}/2", "--out", f"part{i}/x.h5", "--optimizers", "rs,de", "--engine", "serial")
        assert hpo("archive", "build", "small.toml", *words).status == 0
        assert not (folder / f"part{i}/x.h5").exists()
    assert hpo("store", "merge", "joined/small.sqlite", "part1/small.sqlite", "part2/small.sqlite").status == 0
    words = ("--out", "joined/x.h5", "--optimizers", "rs,de", "--engine", "serial")
    assert hpo("archive", "build", "small.toml", *words).status == 0
    assert read_archive("joined/x.h5").digest() == read_archive(built).digest()


@pytest.mark.slow
def test_a_build_that_is_killed_goes_on_from_there(hpo, built, folder):
    words = ["archive", "build", "small.toml", "--optimizers", "rs,de", "--engine", "serial", "--seeds", "200"]
    start = "import sys; from hpo_cli.main import main; sys.exit(main(sys.argv[1:]))"
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    process = subprocess.Popen([sys.executable, "-c", start, *words, "--out", "killed/x.h5"], env=here)
    store = folder / "killed" / "small.sqlite"
    while process.poll() is None and n_stored(store) < 20:
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert 0 < n_stored(store) < 800 and not (folder / "killed/x.h5").exists()
    assert hpo(*words, "--out", "killed/x.h5").status == 0
    assert hpo(*words, "--out", "whole/x.h5").status == 0
    assert read_archive("killed/x.h5").digest() == read_archive("whole/x.h5").digest()


def n_stored(path):
    """Number of runs that a store holds while another process may be making it."""
    try:
        with reading(path) as store:
            return store.n_runs()
    except (OSError, sqlite3.Error):
        return 0


def test_an_archive_is_shown(hpo, built):
    shown = hpo("archive", "info", built)
    assert "a.h5: 12 runs with" in shown.out and "optimizers=2, runs=6" in shown.out
    facts = {(row["section"], row["name"]): row["value"] for row in hpo("archive", "info", built, "--json").rows}
    assert facts["optimizers", "rs"]["runs"] == 6 and facts["", "digest"] == read_archive(built).digest()


def test_your_own_is_run_and_ranked_among_the_archived_ones(hpo, built, no_page):
    words = ("leaderboard", "small.toml", "--optimizers", "rs,archived_search:Mine", "--archive", built)
    planned = hpo(*words, "--dry-run", "--json")
    assert [(row["optimizer"], row["n_missing"]) for row in planned.rows] == [("archived_search:Mine", 6)]
    ranked = hpo(*words, "--engine", "serial", "--json")
    assert {row["optimizer"] for row in ranked.rows} == {"rs", "de", "archived_search:Mine"}
    assert {row["n_runs"] for row in ranked.rows} == {6} and ranked.status == 0
    with reading("leaderboard/small.sqlite") as store:
        assert {head.optimizer for head in store.heads()} == {"archived_search:Mine"}
    alone = hpo("leaderboard", "small.toml", "--archive", built, "--json")
    assert {row["optimizer"] for row in alone.rows} == {"rs", "de"}


def test_two_are_compared_of_which_one_is_archived(hpo, built):
    words = ("compare", "archived_search:Mine", "de", "--suite", "small.toml", "--archive", built)
    rows = hpo(*words, "--engine", "serial", "--json").rows
    assert [(row["benchmark"], row["n_a"], row["n_b"]) for row in rows[:2]] == [("branin", 3, 3), ("mini-wine", 3, 3)]
    assert hpo("compare", "a", "b").status == 2
    assert "no store" in hpo("compare", "a.sqlite", "a", "b", "--archive", built).err


def test_changed_code_is_said(hpo, built, folder, no_page):
    def aged(header, arrays):
        text = bytes(arrays["catalogue"]).decode()
        text = text.replace(optimizer_version("de", None), "code 0123456789ab")
        arrays["catalogue"] = np.frombuffer(text.encode(), dtype=np.uint8)
        return header, arrays

    old = rewritten(built, folder / "old.h5", aged)
    said = hpo("leaderboard", "small.toml", "--archive", old, "--stale", "rerun", "--dry-run")
    assert "de is code" in said.err and "what is installed is run" in said.err and "to run" in said.out


def test_a_sound_archive_holds_and_an_altered_one_does_not(hpo, built, folder):
    good = hpo("archive", "verify", built, "--sample", "100%", "--engine", "serial", "--json")
    assert good.status == 0 and {row["outcome"] for row in good.rows} == {"equal"} and len(good.rows) == 12

    def altered(header, arrays):
        arrays["number"][2] += 1
        return header, arrays

    bad = hpo("archive", "verify", rewritten(built, folder / "bad.h5", altered), "--engine", "serial")
    assert (
        bad.status == 1 and "altered     de on mini-wine, seed 0" in bad.out and "does not hold: 1 entries" in bad.out
    )
    assert "such as 2%" in hpo("archive", "verify", built, "--sample", "200%").err


def test_a_submission_is_checked_and_added(hpo, built, folder, no_page):
    words = ("leaderboard", "small.toml", "--optimizers", "archived_search:Mine", "--archive", built)
    assert hpo(*words, "--engine", "serial").status == 0
    made = hpo("archive", "submit", "leaderboard/small.sqlite", "--out", "mine.h5", *CARD, "--note", "defaults")
    assert made.status == 0 and "6 runs of archived_search:Mine" in made.out
    assert read_archive("mine.h5").card["licence"] == "CC-BY-4.0"
    added = hpo("archive", "add", "mine.h5", "--to", built, "--out", "joined.h5", "--engine", "serial")
    assert added.status == 0 and "not checked: archived_search:Mine" in added.out and "added 6 runs" in added.out
    joined = read_archive("joined.h5")
    assert joined.n_runs == 18 and "archived_search:Mine" in str(joined.about)
    allowed = ("--allow-import", "archived_search:Mine", "--sample", "100%", "--engine", "serial")
    checked = hpo("archive", "verify", "joined.h5", *allowed, "--json")
    assert checked.status == 0 and [row["outcome"] for row in checked.rows] == ["equal"] * 18
    changed = hpo("archive", "diff", built, "joined.h5", "--json")
    assert changed.status == 0 and {row["verdict"] for row in changed.rows} == {"the same runs"}


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--licence", "do what you want", "SPDX identifier"),
        ("--licence", "", "needs a licence"),
        ("--contact", "somebody", "e-mail address"),
        ("--title", "x" * 101, "at most 100 printable"),
        ("--title", "a\x1b[31mb", "printable"),
    ],
)
def test_a_card_is_checked(hpo, tmp_path, option, value, words):
    card = list(CARD)
    card[card.index(option) + 1] = value
    refused = hpo("archive", "submit", tmp_path / "none.sqlite", "--out", tmp_path / "x.h5", *card)
    assert refused.status == 2 and words in refused.err


def test_an_altered_submission_is_not_added(hpo, built, folder):
    store = run_store(folder / "more.sqlite", ["mini-wine"], ["re"])
    archive_file(folder / "more.h5", store)

    def altered(header, arrays):
        arrays["number"][2] += 1
        return header, arrays

    rewritten(folder / "more.h5", folder / "bad.h5", altered)
    before = built.read_bytes()
    refused = hpo("archive", "add", "bad.h5", "--to", built, "--engine", "serial")
    assert refused.status == 2 and "nothing was added" in refused.err and built.read_bytes() == before


def test_a_release_that_became_worse_ends_with_status_1(hpo, folder):
    settings = {"n_seeds": 12, "n_trials": 30}
    worse = {"name": "rs", "label": "mine"}
    run_store(folder / "old.sqlite", ["mini-wine", "branin"], [{**worse, "name": "tpe"}], **settings)
    run_store(folder / "new.sqlite", ["mini-wine", "branin"], [worse], **settings)
    found = hpo("archive", "diff", "old.sqlite", "new.sqlite")
    assert found.status == 1 and "became worse: mine" in found.out
    assert hpo("archive", "diff", "new.sqlite", "old.sqlite").status == 0
