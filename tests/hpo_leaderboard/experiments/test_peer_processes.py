"""Peer processes in experiments: recorded like any optimizer, broken with their last words, started by users alone."""

import shlex
import sys
from pathlib import Path

import pytest
from peer_programs import PEERS, SAMPLING, misbehaving, running_peers
from small_archives import archive_file, run_store

from baselines.adapters.parts.peer_names import full_name
from hpo_cli.main import main
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.engines.processes import ProcessesEngine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.members import Member, optimizers_of
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.splitting.estimates import START_SECONDS, estimate
from hpo_leaderboard.experiments.suite import ForbiddenImport, make_suite, open_suite
from hpo_leaderboard.report.described import describe_optimizers
from hpo_leaderboard.report.recipe import recipe
from hpo_leaderboard.store.store import reading

LINE = ["misbehaving:line"]


def frames(path):
    with reading(path) as store:
        return store.frames()


@pytest.mark.slow
def test_a_peer_that_breaks_is_recorded_with_its_last_words_and_the_others_go_on(tmp_path):
    hanging = {"name": misbehaving("hangs"), "options": {"reply_seconds": 0.5}, "label": "hanging"}
    names = [misbehaving("dies"), misbehaving("garbage"), misbehaving("outside"), hanging, SAMPLING, "rs"]
    suite = make_suite("peers", LINE, names, n_seeds=2, n_trials=5)
    outcome = run_experiment(suite, tmp_path / "s", make_engine("serial"))
    words = {
        misbehaving("dies"): "PeerLost: .*ended with exit status 3; its last words: out of licences",
        misbehaving("garbage"): "PeerFault: .*must answer with a JSON object",
        misbehaving("outside"): "InvalidConfig: .*not in the space",
        "hanging": "PeerLost: .*did not answer within 0.5 s; its last words: waiting for a lock",
    }
    runs = frames(tmp_path / "s").runs
    for label, text in words.items():
        own = runs[runs["optimizer"] == label]
        assert len(own) == 2 and own["failure"].str.contains(text).all()
    assert (runs[runs["optimizer"].isin([SAMPLING, "rs"])]["n_trials"] == 5).all()
    assert outcome.n_open == 4  # those that may go better another time: it died, it did not answer
    assert running_peers() == []


@pytest.mark.slow
def test_every_engine_gives_the_same_runs_and_they_are_not_run_again(tmp_path):
    suite = make_suite("peers", LINE, [SAMPLING, misbehaving("nothing")], n_seeds=3, n_trials=5)
    digests = {run_experiment(suite, tmp_path / name, make_engine(name)).digest for name in ("serial", "processes")}
    assert len(digests) == 1
    assert run_experiment(suite, tmp_path / "serial", make_engine("serial")).n_present == 6
    assert running_peers() == []


@pytest.mark.slow
def test_a_time_out_of_the_engine_ends_the_peer_too(tmp_path):
    suite = make_suite("peers", LINE, [misbehaving("hangs"), SAMPLING], n_seeds=1, n_trials=5)
    engine = ProcessesEngine(1, 5.0)
    assert run_experiment(suite, tmp_path / "s", engine).n_open == 1
    assert running_peers() == []


def test_two_versions_of_a_library_lie_side_by_side_in_one_store(tmp_path, monkeypatch):
    for number in ("1.0", "2.0"):
        monkeypatch.setenv("FAKE_VERSION", number)
        run_store(tmp_path / "s", LINE, [misbehaving("nothing")])
    shown = sorted(set(frames(tmp_path / "s").runs["optimizer"]))
    assert len(shown) == 2 and "fake 1.0, worker " in shown[0] and "fake 2.0, worker " in shown[1]


def test_the_cpu_time_of_the_peer_is_its_overhead(tmp_path):
    worker = tmp_path / "busy.py"
    spin = "def ask(self):\n        import time\n        end = time.process_time() + 0.05\n"
    spin += "        while time.process_time() < end:\n            pass\n"
    worker.write_text((PEERS / "sampling.py").read_text().replace("def ask(self):\n", spin))
    run_store(tmp_path / "s", LINE, [f"{worker}@{sys.executable}"], n_seeds=1, n_trials=4)
    assert 0.2 <= frames(tmp_path / "s").runs["overhead"].iloc[0] < 2.0


def test_labels_are_short_and_patterns_are_for_other_names():
    (member,) = optimizers_of(["dehb-lib@env"])
    assert member == Member("baselines.adapters.process:dehb-lib@env", label="dehb-lib@env")
    assert optimizers_of([member]) == (member,)
    suite = make_suite("peers", LINE, [f"cmd@{sys.executable} {PEERS / 'misbehaving_peer.py'} nothing *"])
    assert [pair.optimizer.name[-1] for pair in make_plan(suite).jobs.pairs] == ["*"]


def test_a_start_is_part_of_the_estimate():
    plan = make_plan(make_suite("peers", LINE, [SAMPLING, "rs"], n_seeds=1, n_trials=5))
    peer, own = (estimate(pair).seconds for pair in plan.jobs.pairs)
    assert peer > START_SECONDS > own


def test_an_unknown_environment_stops_the_command(tmp_path, capsys):
    words = ["--optimizers", "rs,dehb-lib@nowhere", "--benchmarks", "branin", "--seeds", "1", "--trials", "2"]
    assert main(["leaderboard", "quick", *words, "--engine", "serial", "--out", str(tmp_path)]) == 2
    assert "no environment 'nowhere'" in capsys.readouterr().err


def test_a_run_of_the_command_line_breaks_and_the_other_seeds_are_run(capsys):
    assert main(["run", "misbehaving:line", misbehaving("dies"), "--trials", "4", "--seeds", "2", "--csv"]) == 1
    assert capsys.readouterr().out.count("its last words: out of licences") == 2
    assert main(["run", "misbehaving:line", SAMPLING, "--trials", "4"]) == 0


# --- files start nothing -------------------------------------------------------------------------------------------


@pytest.fixture
def touching(tmp_path):
    """A peer that leaves a file when it is started, and the file."""
    program = tmp_path / "touching.sh"
    program.write_text(
        f"#!/bin/sh\ntouch {shlex.quote(str(tmp_path / 'TOUCHED'))}\nexec {misbehaving('nothing')[4:]}\n"
    )
    program.chmod(0o700)
    return f"cmd@{program}", tmp_path / "TOUCHED"


@pytest.mark.parametrize("written", [str, full_name])
def test_a_suite_that_names_a_peer_is_refused_until_it_is_allowed(touching, tmp_path, written):
    name, touched = touching
    suite = tmp_path / "mine.toml"
    suite.write_text(f'benchmarks = ["branin"]\noptimizers = ["{written(name)}"]\n')
    with pytest.raises(ForbiddenImport, match="--allow-import"):
        open_suite(suite)
    assert not touched.exists()
    assert open_suite(suite, allow_import=True).optimizers[0].name == full_name(name)


def test_an_archive_starts_no_peer_until_the_user_names_it(touching, tmp_path, capsys):
    name, touched = touching
    store = run_store(tmp_path / "s", LINE, [name], n_seeds=1)
    archive = str(archive_file(tmp_path / "a.h5", store))
    assert touched.exists()
    touched.unlink()
    words = ["archive", "verify", archive, "--sample", "100%", "--engine", "serial", "--csv", "--allow-import"]
    main([*words, "misbehaving:line"])
    assert "not here" in capsys.readouterr().out and not touched.exists()
    assert main([*words, f"misbehaving:line,{name}"]) == 0
    assert ",equal," in capsys.readouterr().out and touched.exists()


def test_a_changed_program_is_another_version(touching, tmp_path):
    name, _ = touching
    first = make_plan(make_suite("peers", LINE, [name])).jobs[0].version
    Path(name[4:]).write_text(Path(name[4:]).read_text() + "# changed\n")
    assert make_plan(make_suite("peers", LINE, [name])).jobs[0].version != first


def test_the_page_says_what_the_peer_is_and_how_to_run_it_again(tmp_path):
    said = [
        {
            "benchmark": {"name": "branin", "label": "branin", "options": {}},
            "optimizer": {"name": full_name("dehb-lib@env"), "label": "dehb-lib@env", "options": {}, "version": "1"},
        }
    ]
    (described,) = describe_optimizers(["dehb-lib@env"], said)
    assert described.line.startswith("DEHB") and described.paper == "Awad et al. (2021)"
    lines = recipe("s.sqlite", {}, ["s.toml"], said, "0" * 64)
    comments = [line for line in lines if line.startswith("# ")]
    assert any(line.endswith("process_adapter.md: dehb-lib@env") for line in comments)
    assert any("--allow-import" in line for line in comments) and "no part of hpo-foundry" not in "".join(lines)
