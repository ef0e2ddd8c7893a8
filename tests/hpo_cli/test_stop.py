"""`hpo stop replay`."""

import json

import pandas as pd
import pytest
import threadpoolctl

from baselines.stopping.conv import Convergence


@pytest.fixture
def runs(tmp_path):
    """A table of two runs each on two benchmarks, the benchmarks taking turns."""
    rows = [
        {
            "benchmark": benchmark,
            "optimizer": "rs",
            "seed": seed,
            "step": step,
            "loss": 1.0 / (1 + min(step, 12)),
            "cost": 1.0,
            "config": json.dumps({"x": step / 30}),
        }
        for seed in range(2)
        for benchmark in ("one", "two")
        for step in range(30)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "runs.csv", index=False)
    return tmp_path / "runs.csv"


def test_rows_for_machines(hpo, runs):
    rows = hpo("stop", "replay", runs, "--criteria", "conv:5", "limit:10", "--json").rows
    assert [(row["benchmark"], row["criterion"]) for row in rows] == [
        (name, spec) for name in ("one", "two") for spec in ("conv:5", "limit:10")
    ]
    assert rows[0]["n"] == 2 and rows[1]["rtc"] == pytest.approx(2 / 3)
    assert rows[0]["paper_rtc"] is None


def test_a_group_is_printed_when_its_last_run_is_replayed(hpo, runs, monkeypatch, capsys):
    calls = []

    def watched(self, trials):
        calls.append(capsys.readouterr().out)
        return None

    monkeypatch.setattr(Convergence, "__call__", watched)
    hpo("stop", "replay", runs, "--criteria", "conv:5", "--by", "benchmark")
    seen = [sum("one" in text for text in calls[: i + 1]) for i in range(len(calls))]
    n = len(calls) // 4  # calls per run; the runs are one, two, one, two or one, one, two, two
    assert "one" not in "".join(calls[:n])
    assert seen[-1] == 1  # printed before the last run of the other benchmark was replayed
    assert "two" not in "".join(calls)


def test_a_replay_has_one_thread_in_each_library(hpo, runs, monkeypatch):
    threads = []

    def watched(self, trials):
        threads.extend(library["num_threads"] for library in threadpoolctl.threadpool_info())
        return None

    monkeypatch.setattr(Convergence, "__call__", watched)
    with threadpoolctl.threadpool_limits(limits=2):
        assert hpo("stop", "replay", runs, "--criteria", "conv:5").status == 0
    assert set(threads) == {1}


@pytest.fixture
def bore_runs(tmp_path):
    """A run that Makarova et al. (2022) print numbers for, with a test loss of every second trial."""
    rows = [
        {
            "benchmark": "naval",
            "optimizer": "bore",
            "seed": 0,
            "step": step,
            "loss": 1.0 / (1 + step),
            "test": float("nan") if step % 2 else 2.0 / (1 + step),
            "cost": 1.0,
            "config": json.dumps({"x": step / 31}),
        }
        for step in range(31)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "bore.csv", index=False)
    return tmp_path / "bore.csv"


def test_the_papers_ryc_stands_beside_a_test_ryc_only(hpo, bore_runs, monkeypatch):
    spec = "conv:10,warm_up=5"
    monkeypatch.setattr(Convergence, "__call__", lambda self, trials: "enough" if len(trials) == 5 else None)
    (row,) = hpo("stop", "replay", bore_runs, "--criteria", spec, "--json").rows
    assert (row["ryc_n"], row["paper_rtc"], row["paper_ryc"]) == (1, 0.943, -0.605)
    assert row["ryc"] == pytest.approx(2.0 / 31 / (2.0 / 5) - 1.0)
    monkeypatch.setattr(Convergence, "__call__", lambda self, trials: "enough" if len(trials) == 6 else None)
    (row,) = hpo("stop", "replay", bore_runs, "--criteria", spec, "--json").rows
    assert (row["ryc_n"], row["ryc"], row["paper_rtc"], row["paper_ryc"]) == (0, None, 0.943, None)
    assert row["ryc_validation"] == pytest.approx(1.0 / 31 / (1.0 / 6) - 1.0)
    printed = hpo("stop", "replay", bore_runs, "--criteria", spec).out
    assert "RYC (validation)" in printed and "not recorded" in printed and "-0.605" not in printed


def test_a_criterion_is_printed_before_the_next_is_replayed(hpo, runs, monkeypatch, capsys):
    printed = []
    monkeypatch.setattr(Convergence, "__call__", lambda self, trials: printed.append(capsys.readouterr().out))
    hpo("stop", "replay", runs, "--criteria", "limit:10", "conv:5")
    assert "limit:10" in printed[0]
