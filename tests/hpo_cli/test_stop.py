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
