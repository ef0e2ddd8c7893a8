"""Replaying criteria on recorded runs: tables, stores, scores, pictures, the command."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from baselines import criterion
from hpo_cli.main import main
from hpo_core import Categorical, Float, Int
from hpo_core.errors import DamagedFile, InvalidOption
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import changed, make_suite, open_suite
from hpo_leaderboard.stopping import pictures
from hpo_leaderboard.stopping.printed import CROSS_VALIDATION, TABLES, printed
from hpo_leaderboard.stopping.replay import RecordedBounds, bounds_along, replay, scored, stop_of
from hpo_leaderboard.stopping.run_sources import read_runs
from hpo_leaderboard.stopping.scores import relative_change, relative_saving, std_by_source, summary
from hpo_leaderboard.stopping.trial_tables import runs_of_table
from hpo_leaderboard.store.export import export_trials


def cv_table(n=60, seeds=2, datasets=("one", "two")):
    """Runs with fold losses, like those of the paper: RF on some datasets, with the columns that its files have."""
    rows = []
    for i, dataset in enumerate(datasets):
        for seed in range(seeds):
            rng = np.random.default_rng((i, seed))
            for iteration in range(n):
                x, depth = float(rng.random()), int(rng.integers(1, 5))
                loss = 1.0 + (x - 0.3) ** 2 + 0.1 * depth
                folds = (loss + 0.2 * rng.standard_normal(5)).tolist()
                config = json.dumps({"x": x, "depth": depth, "kind": "ab"[iteration % 2]})
                row = {"dataset": dataset, "algo": "RF", "seed": seed, "iteration": iteration, "config": config}
                row |= {"loss": loss, "test": loss + 0.1, "cost": 2.0, "folds": json.dumps(folds)}
                rows.append(row)
    return pd.DataFrame(rows)


def test_scores_by_hand():
    assert relative_change(0.8, 1.0) == pytest.approx(-0.2)
    assert relative_change(1.0, 0.8) == pytest.approx(0.2)
    assert relative_change(0.0, 0.0) == 0.0
    assert math.isnan(relative_change(-1.0, 2.0))
    assert relative_saving(200, 50) == 0.75
    assert relative_saving(0.0, 0.0) == 0.0


def test_a_stop_is_scored_by_the_incumbents_test_loss():
    table = pd.DataFrame(
        {"dataset": "d", "seed": 0, "iteration": range(4), "loss": [4.0, 2.0, 3.0, 1.0], "test": [9.0, 5.0, 1.0, 4.0],
         "cost": [1.0, 2.0, 3.0, 4.0], "hp_x": [0.1, 0.2, 0.3, 0.4]}
    )  # fmt: skip
    (run,) = runs_of_table(table)
    row = scored(run, "c", 3, "why", True)
    assert row["ryc"] == pytest.approx((4.0 - 5.0) / 5.0)  # incumbents: the second trial, then the last
    assert (row["rtc"], row["rtc_time"]) == (0.25, pytest.approx(0.4))
    assert math.isnan(row["regret"])  # no benchmark is called d


def test_tables_in_both_spellings():
    table = cv_table(6, 1, ["one"])
    configs = [json.loads(text) for text in table["config"]]
    folds = [json.loads(text) for text in table["folds"]]
    wide = table.drop(columns=["config", "folds"]).assign(
        **{f"hp_{name}": [config[name] for config in configs] for name in configs[0]},
        **{f"fold_{i}": [fold[i] for fold in folds] for i in range(5)},
    )
    (long_run,), (wide_run,) = runs_of_table(table), runs_of_table(wide.sample(frac=1.0, random_state=0))
    assert long_run.space == wide_run.space
    assert [t.config for t in long_run.trials] == [t.config for t in wide_run.trials]
    assert [t.result.info for t in long_run.trials] == [t.result.info for t in wide_run.trials]
    assert (long_run.benchmark, long_run.optimizer, long_run.seed) == ("one", "RF", 0)


def test_columns_are_those_of_a_store_and_the_names_of_the_papers_files_are_read():
    table = cv_table(6, 1, ["one"])
    ours = table.rename(columns={"dataset": "benchmark", "algo": "optimizer", "iteration": "step"})
    (theirs_read,), (ours_read,) = runs_of_table(table), runs_of_table(ours)
    assert (ours_read.benchmark, ours_read.optimizer, ours_read.seed) == ("one", "RF", 0)
    assert ours_read.trials == theirs_read.trials
    both = runs_of_table(ours.assign(algo="XGB"))[0]
    assert both.optimizer == "XGB RF"


def test_an_exported_store_is_a_table_of_the_same_runs(tmp_path):
    store, out = tmp_path / "s.sqlite", tmp_path / "trials.csv.gz"
    suite = make_suite("s", ["counting-ones-4-4", "mini-wine"], ["hyperband"], n_seeds=1, n_trials=5, workers=3)
    run_experiment(suite, store, make_engine("serial"))
    export_trials(store, out)
    for stored, exported in zip(read_runs(store), read_runs(out), strict=True):
        assert stored[:3] == exported[:3]
        assert len({trial.budget for trial in exported.trials}) > 1
        assert exported.trials == stored.trials
        np.testing.assert_array_equal(exported.test, stored.test)


def test_space_is_read_off_all_configurations():
    run = runs_of_table(cv_table())[0]
    kinds = {h.name: type(h) for h in run.space}
    assert kinds["x"] is Float and kinds["depth"] is Int
    assert run.space["kind"] == Categorical("kind", ["a", "b"])
    assert (run.space["depth"].low, run.space["depth"].high) == (1, 4)
    for trial in run.trials:
        run.space.check(trial.config)


def test_failed_rows_and_missing_columns():
    table = cv_table(6, 1, ["one"])
    table.loc[2, "loss"] = np.nan
    trials = runs_of_table(table)[0].trials
    assert [t.failure is not None for t in trials] == [False, False, True, False, False, False]
    with pytest.raises(InvalidOption, match="cost"):
        runs_of_table(table.drop(columns="cost"))
    with pytest.raises(InvalidOption, match="config"):
        runs_of_table(table.drop(columns="config"))
    with pytest.raises(InvalidOption, match="JSON"):
        runs_of_table(table.assign(config="{x"))


def test_files_that_are_no_runs(tmp_path):
    with pytest.raises(InvalidOption, match="no file"):
        read_runs(tmp_path / "none.csv")
    (tmp_path / "broken.csv.gz").write_bytes(b"not compressed")
    with pytest.raises(DamagedFile):
        read_runs(tmp_path / "broken.csv.gz")


def test_replay_agrees_with_stopping_online():
    runs = runs_of_table(cv_table())
    stops = replay(runs, ["conv:10", "cv-regret-bound", "limit:1000"])
    assert len(stops) == 12
    for run, (_, rows) in zip(runs, stops.groupby(["benchmark", "optimizer", "seed"], sort=False), strict=True):
        by_name = rows.set_index("criterion")
        expected = stop_of(criterion("conv:10", run.space), run.trials)
        assert (by_name.loc["conv:10", "stop"], by_name.loc["conv:10", "reason"]) == expected
        assert not by_name.loc["limit:1000", "stopped"]
        assert by_name.loc["limit:1000", "rtc"] == 0.0
        assert by_name.loc["limit:1000", "reason"] == "never; at the end limit: 60 of 1000 trials"
        assert by_name.loc["cv-regret-bound", "stop"] >= 30
    assert stops.loc[stops["criterion"] == "cv-regret-bound", "stopped"].any()


def test_recorded_bounds_take_the_models_place():
    run = runs_of_table(cv_table(60, 1, ["one"]))[0]
    values = np.full(60, 1.0)
    values[42:] = 1e-9
    given = RecordedBounds(values)
    assert stop_of(criterion("regret-bound:0.5", run.space, bounds=given), run.trials)[0] == 42
    values[:] = np.nan
    assert stop_of(criterion("regret-bound:0.5", run.space, bounds=given), run.trials) == (60, None)


def test_summary_by_hand():
    stops = pd.DataFrame(
        {"optimizer": "m", "criterion": "c", "stopped": [True, False], "stop": [50, 100], "ryc": [-0.2, 0.0],
         "ryc_validation": [-0.4, 0.0], "rtc": [0.5, 0.0], "rtc_time": [0.6, 0.0]}
    )  # fmt: skip
    row = summary(stops, ["optimizer"]).iloc[0]
    assert (row["ryc_n"], row["ryc_validation"]) == (2, pytest.approx(-0.2))
    assert (row["n"], row["stopped"], row["stop"]) == (2, 0.5, 75.0)
    assert (row["ryc"], row["ryc_std"]) == (pytest.approx(-0.1), pytest.approx(0.1))
    assert (row["rtc_low"], row["rtc_high"]) == (0.0, 0.5)


def test_a_run_without_recorded_test_losses_is_left_out_of_the_test_ryc():
    table = pd.DataFrame(
        {"dataset": "d", "seed": [0, 0, 1, 1], "iteration": [0, 1, 0, 1], "loss": [4.0, 2.0, 4.0, 2.0],
         "test": [8.0, 6.0, np.nan, 6.0], "cost": 1.0, "hp_x": [0.1, 0.2, 0.3, 0.4]}
    )  # fmt: skip
    stops = pd.DataFrame([scored(run, "c", 1, "why", True) for run in runs_of_table(table)])
    row = summary(stops, ["benchmark"]).iloc[0]
    assert (row["n"], row["ryc_n"]) == (2, 1)
    assert row["ryc"] == pytest.approx(-0.25)
    assert (row["ryc_validation_n"], row["ryc_validation"]) == (2, -0.5)


def test_noise_free_losses_score_where_they_are_known_of_all_trials():
    table = pd.DataFrame(
        {"dataset": "branin", "seed": 0, "iteration": [0, 1], "loss": [4.0, 2.0], "exact": [4.5, 3.0], "cost": 1.0,
         "hp_x": [0.1, 0.2]}
    )  # fmt: skip
    (run,) = runs_of_table(table)
    row = scored(run, "c", 2, "why", True)
    assert row["regret"] == pytest.approx(3.0 - 0.397887, abs=1e-5)
    assert math.isnan(row["ryc"])  # a validation loss is never taken for a test loss
    (partly,) = runs_of_table(table.assign(exact=[4.5, np.nan]))
    assert partly.validation.tolist() == [4.0, 2.0]


def test_std_by_source():
    rows = []
    for split in range(3):
        for training in range(2):
            for iteration in range(2):
                loss = 10.0 * split + training - iteration
                rows.append((split, 0, training, iteration, loss, 2 * loss))
    names = ["split", "optimizer_seed", "training", "iteration", "loss", "test"]
    table = pd.DataFrame(rows, columns=names).assign(dataset="d", algo="RF")
    found = std_by_source(table, ["split", "optimizer_seed", "training"]).set_index(["source", "evaluation"])
    assert found.loc[("split", 2), "validation"] == pytest.approx(np.std([0, 10, 20]))
    assert found.loc[("training", 1), "validation"] == pytest.approx(0.5)
    assert found.loc[("training", 1), "test"] == pytest.approx(1.0)
    assert found.loc[("optimizer_seed", 1), "validation"] == 0.0


def test_what_the_paper_prints():
    assert printed("conv:10,warm_up=20", None, "RF") == (0.840, -0.031)
    assert printed("regret-bound:0.001,variant=reference-code", "naval", "bore") == (0.910, -0.220)
    assert printed("regret-bound:0.001,variant=reference-code", "naval", "tpe") is None
    assert printed("conv:11", None, "RF") is None
    space = runs_of_table(cv_table(3, 1, ["one"]))[0].space
    for spec in [*CROSS_VALIDATION, *TABLES]:
        criterion(spec, space)


@pytest.mark.slow
def test_pictures_show_what_they_are_given(tmp_path):
    runs = runs_of_table(cv_table(40))
    stops = replay(runs, ["conv:10,warm_up=20", "limit:30"]).assign(regret=0.1)
    means = summary(stops, ["optimizer"])
    bounds = bounds_along([run._replace(optimum=1.0) for run in runs], every=10)
    stds = pd.DataFrame(
        {
            "benchmark": "d",
            "optimizer": "m",
            "source": ["split"] * 3,
            "evaluation": [1, 2, 3],
            "validation": 1.0,
            "test": 2.0,
        }
    )
    figures = {
        "trade_off": pictures.draw_trade_off(means, ["optimizer"]),
        "regrets": pictures.draw_regrets(stops),
        "bounds": pictures.draw_bounds(bounds),
        "overfitting": pictures.draw_overfitting(runs),
        "stds": pictures.draw_stds(stds),
    }
    trade_off = figures["trade_off"].axes[0]
    drawn = {tuple(np.round(line.get_xydata()[0], 6)) for line in trade_off.lines if len(line.get_xydata())}
    for row in means.to_dict("records"):
        assert (round(row["rtc"], 6), round(row["ryc"], 6)) in drawn
    assert (0.84, -0.031) in drawn  # the paper's Conv-10
    assert [text.get_text() for text in figures["overfitting"].legends[0].get_texts()] == ["validation", "test"]
    assert pictures.save(figures["bounds"], tmp_path / "new" / "bounds.png").stat().st_size > 5_000
    with pytest.raises(InvalidOption, match="nothing to draw"):
        pictures.draw_regrets(stops[:0])


def test_pictures_say_of_how_many_runs_the_test_loss_is_known():
    runs = runs_of_table(cv_table(40, 3, ["one"]))
    partly = [run._replace(test=np.full(40, np.nan)) if run.seed else run for run in runs]
    drawn = pictures.draw_overfitting(partly).axes[0]
    assert drawn.get_title(loc="left") == "one, RF (test loss of 1 of 3 runs)"
    own = {line.get_label(): line.get_ydata() for line in drawn.lines}
    np.testing.assert_allclose(own["test"] - own["validation"], 0.1)  # both of the same run
    unknown = [run._replace(test=np.full(40, np.nan)) for run in runs]
    assert [line.get_label() for line in pictures.draw_overfitting(unknown).axes[0].lines] == ["validation"]
    means = summary(replay(unknown, ["conv:10,warm_up=20"]), ["optimizer"])
    trade_off = pictures.draw_trade_off(means, ["optimizer"]).axes[0]
    assert trade_off.get_ylabel().startswith("RYC (validation)")
    assert not any(line.get_markerfacecolor() == "none" and len(line.get_xydata()) for line in trade_off.lines)


def test_command_prints_the_table_and_writes_files(tmp_path, capsys):
    path = tmp_path / "runs.csv.gz"
    cv_table(40).to_csv(path, index=False)
    criteria = ["conv:10,warm_up=20", "limit:20"]
    assert main(["stop", "replay", str(path), "--criteria", *criteria, "--out", str(tmp_path / "out")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:2] == ["optimizer", "criterion"]
    assert "(0.840)" in lines[1] and "(-0.031)" in lines[1]
    assert "0.500" in lines[2]  # 20 of 40 trials
    stops = pd.read_csv(tmp_path / "out" / "stops.csv")
    assert len(stops) == 8
    assert (tmp_path / "out" / "trade_off.png").exists()
    assert main(["stop", "replay", str(path), "--criteria", *criteria, "--by", "benchmark"]) == 0
    table = capsys.readouterr().out
    assert table.count("one ") == table.count("two ") == 2


def test_command_on_a_store(tmp_path, capsys):
    store = tmp_path / "s.sqlite"
    suite = changed(open_suite("functions"), benchmarks=["branin"], optimizers=["rs"], n_seeds=2, n_trials=40)
    run_experiment(suite, store, make_engine("serial"))
    assert main(["stop", "replay", str(store), "--criteria", "conv:5", "regret-bound:20"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("branin rs")
    runs = read_runs(store)
    assert runs[0].space.names == ("x1", "x2")
    assert runs[0].optimum == pytest.approx(0.397887, abs=1e-5)


@pytest.mark.parametrize(
    "extra", [["--datasets", "none"], ["--benchmarks", "none"], ["--by", "seed"], ["--criteria", "nothing"]]
)
def test_command_explains_mistakes(tmp_path, capsys, extra):
    path = tmp_path / "runs.csv"
    cv_table(25, 1, ["one"]).to_csv(path, index=False)
    assert main(["stop", "replay", str(path), *extra]) == 2
    assert "hpo: error:" in capsys.readouterr().err


def test_run_command_stops_and_says_why(capsys):
    assert main(["run", "branin", "rs", "--trials", "100", "--stop", "conv:8"]) == 0
    assert "conv: no better loss in the last 8 trials" in capsys.readouterr().out
    assert main(["criteria"]) == 0
    assert "cv-regret-bound" in capsys.readouterr().out
