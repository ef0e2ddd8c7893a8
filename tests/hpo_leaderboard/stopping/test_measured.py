"""What is measured of `regret-bound` on recorded runs, and who is told."""

import pytest

from baselines import criterion
from hpo_cli.main import main
from hpo_core import Benchmark
from hpo_leaderboard.stopping.measured import measured, measured_lines, nearest_stops

SPACE = Benchmark("slice").space
STOPPED = "regret-bound: the estimated bound on the regret is 0.005, threshold 0.01"


def test_counts_are_whole():
    for part in measured()["measured"]:
        for index, total in enumerate(part["counts"]["all"]):
            tables = [rows[index] for name, rows in part["counts"].items() if name != "all"]
            assert len(tables) == 4
            for count in ("runs", "stops", "above", "observed_above"):
                assert total[count] == sum(table[count] for table in tables)
            assert total["above"] <= total["stops"] <= total["runs"] == part["seeds"] * len(part["optimizers"]) * 4


@pytest.mark.parametrize(("threshold", "nearest"), [(1e-9, 1e-4), (2e-4, 1e-4), (4e-4, 1e-3), (0.5, 1e-2)])
def test_the_nearest_threshold_is_taken(threshold, nearest):
    assert nearest_stops("default", threshold).threshold == nearest
    assert nearest_stops("default", threshold, "forrester") is None


def test_a_line_for_the_criterion_that_stopped():
    known, here = nearest_stops("default", 0.01), nearest_stops("default", 0.01, "slice")
    joined = criterion("regret-bound:0.01 | limit:9", SPACE)
    (line,) = measured_lines(joined, [STOPPED, "limit: 9 of 9 trials"], "slice")
    assert f"{known.above} of {known.stops} stops at threshold 0.01" in line
    assert f"{here.above} of {here.stops} on slice" in line
    assert measured_lines(joined, ["limit: 9 of 9 trials"], "slice") == []
    assert measured_lines(criterion("conv:9", SPACE), ["conv: ..."], "slice") == []
    (line,) = measured_lines(criterion("regret-bound:0.01,variant=paper", SPACE), [STOPPED], "slice")
    assert "not measured" in line


def test_a_stopped_run_says_how_often_such_stops_were_too_early(capsys):
    assert main(["run", "branin", "rs", "--trials", "40", "--stop", "regret-bound:100"]) == 0
    out = capsys.readouterr().out
    assert "estimated bound on the regret is" in out and "at most" not in out
    assert "had a true regret above it" in out.splitlines()[-1]
    assert main(["run", "branin", "rs", "--trials", "30", "--stop", "regret-bound:1e-9"]) == 0
    assert "true regret" not in capsys.readouterr().out
