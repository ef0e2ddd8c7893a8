"""A few of the cases of `scripts/attack.py`, and that its sandbox notices what goes wrong."""

import os
import subprocess
import time
from pathlib import Path

import api_cases
import archive_cases
import command_cases
import csv_cases
import hostile_stores as hostile
import model_cases
import numpy as np
import original_cases
import pytest
import run_file_cases
import store_cases
import suite_cases
import table_cases
from changes import same_or_refused
from sandbox import Case, attempt

from hpo_cli.main import main
from hpo_core.errors import DamagedFile, InvalidOption
from hpo_leaderboard.store.columns import LAYOUT, numbers_size
from hpo_leaderboard.store.store import reading


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda: [].pop(), "IndexError"),
        (lambda: Path("../stray").write_text(""), "wrote outside"),
        (lambda: print("\x1b[31m"), "control characters"),
        (lambda: os.system("true"), "os.system was called"),
        (lambda: subprocess.run(["true"]), "subprocess.Popen was called"),
        (lambda: os._exit(3), "status 3"),
    ],
)
def test_the_sandbox_notices_what_goes_wrong(tmp_path, action, words):
    assert words in attempt(Case("bad", action), tmp_path / "case").verdict


def test_the_sandbox_lets_errors_of_ours_and_results_pass(tmp_path):
    def refused():
        raise InvalidOption("no")

    for action in (refused, lambda: time.sleep(0.01), lambda: Path("inside").write_text("")):
        assert attempt(Case("good", action), tmp_path / "case").verdict == "passed"


PARTS = (
    store_cases,
    suite_cases,
    run_file_cases,
    table_cases,
    model_cases,
    archive_cases,
    csv_cases,
    original_cases,
    api_cases,
    command_cases,
)


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_hostile_files_end_in_our_errors_or_the_right_result(tmp_path, part):
    for i, case in enumerate(part.cases(tmp_path / "part", np.random.default_rng(11), 12)):
        outcome = attempt(case, tmp_path / f"case-{i}")
        assert outcome.verdict == "passed", f"{case.name}\n{outcome.words}"


def test_a_changed_file_that_is_read_as_something_else_is_noticed(tmp_path):
    for found, verdict in ((1, "passed"), (2, "means something else")):
        case = Case("flip", lambda found=found: same_or_refused(lambda: found, 1))
        assert verdict in attempt(case, tmp_path / f"case-{found}").verdict


@pytest.mark.slow
def test_sound_files_get_through_the_commands(tmp_path, monkeypatch, capsys):
    """Otherwise the cases would show how commands refuse any file."""

    def status(words, command, *arguments):
        folder = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        monkeypatch.chdir(folder)
        monkeypatch.setenv("HPO_FOUNDRY_CACHE", str(folder / "cache"))
        return command(*arguments, words)

    tables = table_cases.sound_tables(tmp_path)
    for words in (("table", "info", "t.h5"), ("table", "import", "t.h5"), ("run", "own", "tpe", "--trials", "12")):
        assert [status(words, table_cases.command, table) for table in tables] == [0, 0, 0]
    for words in run_file_cases.COMMANDS[:1]:
        runs = run_file_cases.sound_runs(tmp_path)
        assert [status(words, run_file_cases.command, run) for run in runs] == [0, 0, 0]
    for kind, frames in csv_cases.sound_files(tmp_path).items():
        frames[-1].to_csv(tmp_path / "sound.csv", index=False)
        assert status(csv_cases.COMMANDS[kind][0], csv_cases.command, tmp_path / "sound.csv") == 0


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return hostile.small_store(tmp_path_factory.mktemp("sound") / "s.sqlite")


def test_the_generators_change_what_they_mean_to_and_nothing_else(sound, tmp_path, capsys):
    numbers, configs = hostile.numbers_of(sound)
    for made in (
        hostile.resealed(sound, tmp_path / "1.sqlite", "runs", {"settled": 0}),
        hostile.relabelled(sound, tmp_path / "2.sqlite", "optimizer", "rs", "other"),
        hostile.with_trials(sound, tmp_path / "3.sqlite", numbers, configs, 4),
    ):
        assert main(["store", "verify", str(made)]) == 0
    with reading(tmp_path / "2.sqlite") as store:
        assert {run.optimizer for run in store.heads()} == {"other", "de", "re"}


@pytest.mark.parametrize("n_trials", [4, 50_000_000, 2**52])
def test_a_row_that_unpacks_to_gigabytes_is_refused_before_it_is_unpacked(sound, tmp_path, n_trials):
    """Its columns hold 80 MB in 0.4 MB; a bomb of 6 GB would take as little time to refuse, and longer to make."""
    _, configs = hostile.numbers_of(sound)
    made = hostile.with_trials(sound, tmp_path / "bomb.sqlite", bytes(80_000_000), configs, n_trials)
    assert made.stat().st_size < 1_000_000
    start = time.process_time()
    with reading(made) as store:
        assert any("room" in damage.words or "unpack" in damage.words for damage in store.damages())
        with pytest.raises(DamagedFile, match=r"bomb\.sqlite"):
            store.frames()
    assert time.process_time() - start < 1.0


@pytest.mark.slow
def test_long_configurations_are_refused_too(sound, tmp_path):
    numbers, _ = hostile.numbers_of(sound)
    made = hostile.with_trials(
        sound, tmp_path / "bomb.sqlite", numbers, b"{" + b" " * 200_000_000 + b"}\n{}\n{}\n{}", 4
    )
    with reading(made) as store, pytest.raises(DamagedFile, match="unpack to more"):
        store.frames()


@pytest.mark.parametrize(
    ("column", "value"),
    [("loss", np.nan), ("cost", -1.0), ("end", np.inf), ("budget", np.nan), ("exact", -np.inf), ("loss", -np.inf)],
)
def test_numbers_that_no_run_has_are_refused(sound, tmp_path, column, value):
    numbers, configs = hostile.numbers_of(sound)
    sizes = [4 * np.dtype(kind).itemsize for _, kind in LAYOUT]
    offsets = dict(zip([name for name, _ in LAYOUT], np.cumsum([0, *sizes[:-1]]), strict=True))
    changed = bytearray(numbers)
    changed[offsets[column] : offsets[column] + 8] = np.float64(value).tobytes()
    made = hostile.with_trials(sound, tmp_path / "odd.sqlite", bytes(changed), configs, 4)
    assert len(numbers) == numbers_size(4)
    with reading(made) as store, pytest.raises(DamagedFile, match="its trials break a rule"):
        store.frames()
