"""Tables of listed configurations: lookups, the file format, statistics, and trainings that diverged."""

import dataclasses
import json

import numpy as np
import pytest

from hpo_core import Benchmark, Categorical, Condition, Float, Int, Space, run
from hpo_core.errors import DamagedFile, InvalidOption, NotRecorded, UnsupportedSpace
from hpo_core.running.trial import Proposal
from hpo_core.storage.sealed_hdf5 import SEAL_SIZE, read_sealed
from tabular import Table, TableProblem, open_table, read_table, write_table
from tabular.fanova import importance
from tabular.fcnet_files.export import write_original
from tabular.hdf5 import GRID, LISTED, TABLE
from tabular.statistics import all_statistics, budget_correlation, left_out, neighbourhood, table_correlation

HYPERPARAMETERS = [Float("lr", 1e-4, 1.0, log=True), Int("depth", 1, 9), Categorical("kind", ["a", "b"])]
BUDGETS = (1, 3, 9)


def made(n=40, seed=0, budgets=BUDGETS, hyperparameters=HYPERPARAMETERS, conditions=(), n_repetitions=2, **more):
    rng = np.random.default_rng(seed)
    base = Space(hyperparameters, conditions)
    space = Space(hyperparameters, conditions, "made", listed=base.sample(rng, n))
    shape = (n, n_repetitions, len(budgets)) if len(budgets) > 1 else (n, n_repetitions)
    columns = {
        "loss": rng.random(shape),
        "cost": rng.random((n, n_repetitions)) + 1.0,
        "n_params": np.arange(n),
        **more,
    }
    return Table("made", space, columns, dict.fromkeys(columns, "-"), budgets, "epochs", {"source": "made up"})


CONDITIONS = [Condition("depth", "kind", ("a",))]
CONDITIONAL = made(hyperparameters=[HYPERPARAMETERS[2], *HYPERPARAMETERS[:2]], conditions=CONDITIONS)
DISCRETE = made(9, hyperparameters=[Int("n", 0, 300), Categorical("kind", ["a", "b"])])


def seal_of(path):
    return json.loads(path.read_bytes()[:SEAL_SIZE])


# --- lookups ---------------------------------------------------------------------------------------------------------


def test_lookups_are_rows_of_the_list():
    table = made()
    b = Benchmark(TableProblem(table))
    for i, config in enumerate(table.space.configs()):
        for k, budget in enumerate(BUDGETS):
            for seed in (0, 1, 5):
                r = b.objective(config, budget, seed=seed)
                assert r.loss == table.columns["loss"][i, seed % 2, k]
                assert r.cost == pytest.approx(table.columns["cost"][i, seed % 2] * budget / 9)
                assert r.info == {"n_params": i}
        np.testing.assert_array_equal(b.curve(config, seed=1), table.columns["loss"][i, 1])
    losses, _ = b.objective_batch(table.space.listed[::-1], 3, seeds=1)
    np.testing.assert_array_equal(losses, table.columns["loss"][::-1, 1, 1])


def test_optimum_and_best_are_those_of_the_means():
    table = made()
    means = table.columns["loss"][:, :, -1].mean(axis=1)
    problem = TableProblem(table)
    assert problem.optimum == pytest.approx(means.min(), rel=1e-15)
    assert problem.best() == table.space.numbering.config(int(means.argmin()))


def test_a_budget_that_was_not_recorded_names_ways_out_that_exist():
    b = Benchmark(TableProblem(made(budgets=(9,))))
    with pytest.raises(NotRecorded, match=r"results\.csv"):
        b.objective(b.problem.best(), 3)


# --- the format ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("table", [made(), CONDITIONAL, DISCRETE], ids=["floats", "conditions", "discrete"])
def test_what_is_written_is_read(tmp_path, table, compress):
    write_table(table, tmp_path / "t.h5", compress=compress)
    again = read_table(tmp_path / "t.h5")
    assert again.space == table.space
    assert again.space.listed.dtype == table.space.listed.dtype
    assert again.columns.keys() == table.columns.keys()
    for name, array in table.columns.items():
        np.testing.assert_array_equal(again.columns[name], array)
    assert TableProblem(again).best() == TableProblem(table).best()


def test_the_list_is_an_array_whatever_its_length(tmp_path):
    """An attribute of an HDF5 file holds 64 KB: the header must not grow with the list."""
    table = made(20_000, budgets=(1,))
    write_table(table, tmp_path / "t.h5")
    header, arrays = read_sealed(tmp_path / "t.h5", TABLE)
    assert len(json.dumps(header)) < 2000
    assert "listed" not in header["space"]
    np.testing.assert_array_equal(arrays[LISTED], table.space.listed)
    assert read_table(tmp_path / "t.h5").space == table.space


def test_codes_of_discrete_spaces_are_small(tmp_path):
    write_table(DISCRETE, tmp_path / "t.h5")
    assert read_sealed(tmp_path / "t.h5", TABLE)[1][LISTED].dtype == np.uint16


def test_older_releases_refuse_a_list_and_read_a_grid(tmp_path):
    write_table(made(), tmp_path / "listed.h5")
    grid = Table(
        "grid",
        Space([Categorical("kind", ["a", "b"])]),
        {"loss": np.ones((2, 1)), "cost": np.ones((2, 1))},
        {"loss": "-", "cost": "-"},
        (1,),
        "epochs",
        {},
    )
    write_table(grid, tmp_path / "grid.h5")
    assert (seal_of(tmp_path / "listed.h5")["version"], seal_of(tmp_path / "grid.h5")["version"]) == (2, 1)
    with pytest.raises(DamagedFile, match="table format 2, this release reads up to 1; upgrade hpo-foundry"):
        read_sealed(tmp_path / "listed.h5", GRID)  # what a release does that knows version 1
    read_sealed(tmp_path / "grid.h5", GRID)
    assert read_table(tmp_path / "grid.h5").space == grid.space


def test_a_list_that_does_not_fit_the_space_is_a_damaged_file(tmp_path):
    table = made()
    header, arrays = (write_table(table, tmp_path / "t.h5"), read_sealed(tmp_path / "t.h5", TABLE))[1]
    from hpo_core.storage.sealed_hdf5 import write_sealed

    for wrong in (arrays[LISTED][:, :2], arrays[LISTED] + 100.0, arrays[LISTED][:-1], arrays[LISTED][[0] * 40]):
        write_sealed(tmp_path / "t.h5", TABLE, header, {**arrays, LISTED: wrong})
        with pytest.raises(DamagedFile, match="not a readable table"):
            read_table(tmp_path / "t.h5")


def test_no_column_has_the_name_of_the_list(tmp_path):
    table = made()
    wrong = dataclasses.replace(
        table, columns={**table.columns, LISTED: np.arange(40)}, units={**table.units, LISTED: ""}
    )
    with pytest.raises(InvalidOption, match="another name"):
        write_table(wrong, tmp_path / "t.h5")


# --- statistics ------------------------------------------------------------------------------------------------------


def test_what_needs_a_grid_says_so():
    table = made()
    for statistic in (importance, neighbourhood):
        with pytest.raises(UnsupportedSpace, match="every combination of values, and 'made' holds 40 listed"):
            statistic(table)
    assert "40 listed" in left_out(table)
    frames = all_statistics(table, [dataclasses.replace(made(seed=0), name="other")])
    assert set(frames) == {"metrics", "noise", "budget_correlation", "table_correlation"}
    assert set(all_statistics(made(budgets=(1,), n_repetitions=1))) == {"metrics"}


def test_a_list_of_fcnets_cannot_be_exported_in_their_schema(tmp_path):
    whole = open_table("mini-wine")
    codes = whole.space.grid.codes(np.arange(5))
    columns = {name: array[:5] for name, array in whole.columns.items()}
    few = dataclasses.replace(whole, space=Space(whole.space.hyperparameters, listed=codes), columns=columns)
    with pytest.raises(UnsupportedSpace, match="the FC-Net schema needs a table of every combination"):
        write_original(few, tmp_path / "few.hdf5")


def test_ranks_of_diverged_trainings_are_last():
    loss = np.array([[[1.0, 1.0]], [[2.0, np.inf]], [[3.0, 3.0]], [[4.0, 4.0]]])
    space = Space([Float("x", 0.0, 1.0)], listed=[{"x": x} for x in (0.1, 0.2, 0.3, 0.4)])
    table = Table("t", space, {"loss": loss, "cost": np.ones((4, 1))}, {"loss": "", "cost": ""}, (1, 2), "epochs", {})
    # ranks 1 2 3 4 against 1 4 2 3: sum of squared differences 6, so 1 - 6 * 6 / (4 * 15)
    assert budget_correlation(table)["all"][1] == pytest.approx(0.4)
    with pytest.raises(InvalidOption, match="one space"):
        table_correlation([table, made()])


# --- divergence ------------------------------------------------------------------------------------------------------


class EveryConfig:
    """Asks for each configuration of the list at each budget in turn."""

    def __init__(self, space, *, budgets=(1,), seed=0):
        self._asks = iter([Proposal(config, budget) for config in space.configs() for budget in budgets])

    def ask(self):
        return next(self._asks, None)

    def tell(self, proposal, loss, cost):
        pass


def diverging():
    table = made(n_repetitions=1)
    loss = table.columns["loss"].copy()
    loss[3, :, 1:], loss[7] = np.inf, np.inf
    return dataclasses.replace(table, columns={**table.columns, "loss": loss})


def test_a_run_counts_a_diverged_training_as_failed_and_as_paid():
    table = diverging()
    b = Benchmark(TableProblem(table))
    record = run(b, EveryConfig, n_trials=None, max_cost=1e9)
    failed = [(trial.config, trial.budget) for trial in record.trials if trial.failure is not None]
    third, seventh = table.space.numbering.config(3), table.space.numbering.config(7)
    assert failed == [(third, 3), (third, 9), (seventh, 1), (seventh, 3), (seventh, 9)]
    assert all(trial.cost > 0 for trial in record.trials)
    assert np.isfinite(record.best.loss) and np.isfinite(b.optimum)
    assert b.objective(third).loss == np.inf
    np.testing.assert_array_equal(np.isinf(b.curve(third)), [False, True, True])
