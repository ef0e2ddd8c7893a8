"""`hpo run`."""

import subprocess
import sys
from textwrap import dedent

import pytest
import threadpoolctl

from hpo_core import Run

OWN = dedent(
    """
    import threadpoolctl
    from hpo_core import Proposal

    class Middle:
        '''Proposes the middle of branin, and notes how many threads the numerical libraries may use.'''

        threads = []

        def __init__(self, space, budgets, seed, how=None):
            self.broken = how if seed == 1 else None

        def ask(self):
            self.threads += [library["num_threads"] for library in threadpoolctl.threadpool_info()]
            if self.broken == "raise":
                raise ZeroDivisionError("by nothing")
            return Proposal({"x1": 1e9 if self.broken == "leave" else 2.5, "x2": 7.5}, None)

        def tell(self, proposal, loss, cost):
            pass
    """
)


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Name of an optimizer in the current directory."""
    (tmp_path / "middling.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.delitem(sys.modules, "middling", raising=False)
    return "middling:Middle"


def test_run_prints_a_line_per_seed_and_the_median(hpo, tmp_path):
    arguments = ("run", "protein", "rs", "--trials", "20", "--seeds", "3")
    status, out, _ = hpo(*arguments, "--out", tmp_path / "runs")
    lines = out.splitlines()
    assert status == 0
    assert [line.split()[0] for line in lines] == ["seed", "0", "1", "2", "median"]
    saved = Run.load(tmp_path / "runs" / "protein_rs_1.jsonl")
    assert f"{saved.incumbent().losses[-1]:.6g}" in lines[2]
    assert hpo(*arguments).out == out


def test_rows_for_machines(hpo):
    rows = hpo("run", "branin", "rs", "--trials", "5", "--seeds", "2", "--json").rows
    assert [row["seed"] for row in rows] == [0, 1]
    assert {"benchmark", "optimizer", "trials", "failed", "loss", "regret", "seconds", "reason", "broke"} < {*rows[0]}
    assert rows[0]["regret"] == pytest.approx(rows[0]["loss"] - 0.39788735772973816)
    text = hpo("run", "branin", "rs", "--trials", "5", "--seeds", "2", "--csv").out
    assert text.splitlines()[1].startswith("branin,rs,0,5,0,")


def test_options_reach_the_optimizer(hpo):
    small = hpo("run", "protein", "re", "--trials", "60", "--option", "population=5").out
    assert small != hpo("run", "protein", "re", "--trials", "60").out


def test_an_optimizer_of_the_current_directory(hpo, own):
    (row,) = hpo("run", "branin", own, "--trials", "2", "--json", "--out", "runs").rows
    assert row["loss"] == pytest.approx(24.129964413622268)
    assert Run.load("runs/branin_middling-Middle_0.jsonl").trials[0].config == {"x1": 2.5, "x2": 7.5}


def test_the_installed_program_finds_it_too(own):
    code = "import sys; sys.path.remove(''); from hpo_cli.main import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code, "run", "branin", own, "--trials", "2"], capture_output=True)
    assert done.returncode == 0, done.stderr


def test_a_run_has_one_thread_in_each_library(hpo, own):
    with threadpoolctl.threadpool_limits(limits=2):
        assert hpo("run", "branin", own, "--trials", "2").status == 0
    assert set(sys.modules["middling"].Middle.threads) == {1}


@pytest.mark.parametrize(("how", "reason"), [("raise", "ZeroDivisionError: by nothing"), ("leave", "InvalidConfig")])
def test_a_run_that_breaks_leaves_the_others_alone_and_is_told_by_the_exit_status(hpo, own, how, reason):
    status, out, err = hpo("run", "branin", own, "--trials", "3", "--seeds", "3", "--option", f"how={how}")
    lines = out.splitlines()
    assert status == 1
    assert f"broke: {reason}" in lines[2]
    assert "n_trials: 3" in lines[1] and "n_trials: 3" in lines[3]
    assert "Traceback" in err and reason in err


def test_a_benchmark_without_a_known_optimum(hpo):
    assert "unknown" in hpo("run", "profet-svm/3", "rs", "--trials", "3").out
    assert hpo("run", "profet-svm/3", "rs", "--trials", "3", "--json").rows[0]["regret"] is None


def test_the_file_of_a_run_has_a_plain_name(hpo, tmp_path):
    hpo("run", "profet-svm/3", "rs", "--trials", "3", "--out", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["profet-svm-3_rs_0.jsonl"]


def test_the_random_phase_is_named_also_where_proposals_were_pending_at_the_stop(hpo):
    called = hpo("run", "branin", "re", "--trials", 100, "--workers", 4, "--stop", "limit:10")
    assert "re never left its random phase" in called.out
    called = hpo("run", "branin", "re", "--trials", 30, "--option", "population=5")
    assert "random phase" not in called.out
