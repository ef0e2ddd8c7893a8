"""Tables of trials with something else in a column: refused with the file, the column and the row."""

import pandas as pd
import pytest

from hpo_core.errors import DamagedFile
from hpo_leaderboard.stopping.run_sources import read_runs

ROWS = {
    "benchmark": "made up",
    "seed": 0,
    "step": range(4),
    "loss": [0.4, 0.3, 0.2, 0.1],
    "cost": 1.0,
    "budget": 1.0,
    "worker": 0,
    "failed": False,
    "start": range(4),
    "config": ['{"x": 0.5, "layers": [64, 32]}', '{"x": 0.25, "layers": [16]}'] * 2,
    "folds": "[0.5, 0.25]",
}


def read(path, changes, row=2):
    frame = pd.DataFrame(ROWS).astype(object)
    for name, value in changes.items():
        frame.loc[row, name] = value
    frame.to_csv(path, index=False)
    return read_runs(path)


def test_tuples_of_a_configuration_survive(tmp_path):
    (run,) = read(tmp_path / "runs.csv", {})
    assert run.trials[0].config == {"x": 0.5, "layers": (64, 32)}
    assert run.space["layers"].values == ((16,), (64, 32))
    assert run.trials[0].result.info["folds"] == [0.5, 0.25]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("loss", value) for value in ("low", "[1]", "1_0x")),
        *(("cost", value) for value in (-1.0, "1e308", "x", float("inf"))),
        *(("seed", value) for value in (-1, 1.5, "x", 1e30, None)),
        *(("step", value) for value in (-1, 0.5, None, "1e19")),
        *(("worker", value) for value in (-1, 0.5)),
        *(("budget", value) for value in (-1.0, "inf", None)),
        *(("start", value) for value in ("inf", "x")),
        *(("failed", value) for value in ("perhaps", 2)),
    ],
)
def test_a_value_of_another_kind_is_refused_with_its_row(tmp_path, column, value):
    with pytest.raises(DamagedFile, match=rf"runs\.csv is no table of runs: column '{column}'.* in row 3"):
        read(tmp_path / "runs.csv", {column: value})


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("config", value) for value in ("5", "[]", '{"x": {}}', '{"x": 1e999}', '{"x":' * 500, "x", None)),
        *(("folds", value) for value in ("5", "{}", '["a"]', "[[1]]", None, "[" * 5000)),
    ],
)
def test_json_of_another_kind_is_refused_with_its_run(tmp_path, column, value):
    with pytest.raises(DamagedFile, match=rf"runs\.csv, made up  seed 0: the column {column} must hold JSON"):
        read(tmp_path / "runs.csv", {column: value})
