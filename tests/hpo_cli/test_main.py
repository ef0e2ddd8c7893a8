"""The words of the command line, its help, its errors, and how fast it starts."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from hpo_cli.commands import COMMANDS, CommandGroup
from hpo_cli.parts.pages import PAGES, SITE, page_of

DOCS = Path(__file__).parent.parent.parent / "docs"
EVERY = [
    [name, *rest]
    for name, command in COMMANDS.items()
    for rest in ([[], *([action] for action in command.commands)] if isinstance(command, CommandGroup) else [[]])
]


def test_version(hpo):
    assert hpo("--version") == (0, f"hpo-foundry {version('hpo-foundry')}\n", "")


@pytest.mark.parametrize("command", [[], *EVERY], ids=" ".join)
def test_help_explains_and_names_no_file_of_the_repository(hpo, command):
    answer = hpo(*command, "--help")
    assert answer.status == 0
    assert answer.out.startswith(f"usage: {' '.join(['hpo', *command])} ")
    assert len(answer.out) > 150
    assert "docs/" not in answer.out


@pytest.mark.parametrize("command", [[], *EVERY], ids=" ".join)
def test_help_ends_with_the_address_of_a_page_that_exists(hpo, command):
    address = page_of(command)
    assert hpo(*command, "--help").out.endswith(f"\n\nDocumentation: {address}\n")
    assert (DOCS / f"{address.removeprefix(SITE).removesuffix('.html')}.md").is_file()


def test_every_command_names_its_page():
    assert [name for name in COMMANDS if name not in PAGES] == []
    assert page_of(["table", "stats"]) == f"{SITE}table_statistics.html"
    assert page_of(["table", "info"]) == page_of(["table"]) == f"{SITE}tables.html"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["leaderbord"], "no command 'leaderbord'; did you mean leaderboard?"),
        (["table", "inof"], "no action 'inof'; did you mean info?"),
        (["profet", "trian", "svm"], "did you mean train?"),
        (["store"], "required: ACTION"),
        ([], "required: COMMAND"),
    ],
)
def test_wrong_words_are_corrected(hpo, words, hint):
    status, out, err = hpo(*words)
    assert (status, out) == (2, "")
    assert hint in err
    assert err.startswith("usage: hpo ") and (" ..." in err)


def test_errors_are_one_line_on_standard_error(hpo):
    for arguments, words in (
        (("list", "--family", "fcnets"), "fcnet"),
        (("run", "protien", "rs"), "protein"),
        (("run", "protein", "rss"), "did you mean rs"),
        (("run", "protein", "rs", "--option", "population"), "NAME=VALUE"),
        (("run", "protein", "re", "--option", "populaton=5"), "population"),
        (("run", "protein", "rs", "--seeds", "0"), "--seeds"),
        (("run", "protein", "rs", "--trials", "0"), "n_trials"),
        (("table", "info", "protien"), "protein"),
        (("table", "import", "nowhere.hdf5"), "nowhere.hdf5"),
    ):
        for form in ((), ("--json",)):
            if form and arguments[1] == "import":
                continue
            status, out, err = hpo(*arguments, *form)
            assert status == 2, arguments
            assert out == ""
            assert err.startswith("hpo: error: ")
            assert words in err
            assert err.count("\n") == 1


LOADED = """
    import sys
    from hpo_cli.main import main
    try:
        main(sys.argv[1:])
    except SystemExit:
        pass
    print(*sorted(name for name in ("numpy", "pandas", "h5py", "scipy", "sklearn") if name in sys.modules))
"""


def in_a_new_process(code, *arguments):
    """Standard output and CPU seconds of a Python process; others on the same cores do not count."""
    command = [sys.executable, "-c", code.replace("\n    ", "\n"), *arguments]
    before = os.times()
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "100"})
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return done.stdout, cpu


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["table", "--help"], ["run", "--help"]])
def test_help_loads_no_library(arguments):
    out, _ = in_a_new_process(LOADED, *arguments)
    assert out.splitlines()[-1] == ""


@pytest.mark.parametrize("command", ["list", "optimizers", "criteria"])
def test_catalogues_open_no_table(command):
    out, _ = in_a_new_process(LOADED, command)
    assert out.splitlines()[-1].split() in (["numpy"], [])


RUN_NEEDS_NOT = (
    "pandas",
    "sklearn",
    "ConfigSpace",
    "scipy.stats",
    "scipy.optimize",
    "scipy.linalg",
    "hpo_leaderboard.store",
)


def test_a_run_imports_no_more_than_it_needs():
    code = LOADED.replace('("numpy", "pandas", "h5py", "scipy", "sklearn")', repr(RUN_NEEDS_NOT))
    out, _ = in_a_new_process(code, "run", "protein", "tpe", "--trials", "25")
    assert "n_trials: 25" in out
    assert out.splitlines()[-1] == ""


@pytest.mark.parametrize(("command", "seconds"), [("--version", 0.4), ("--help", 0.4), ("list", 1.0)])
def test_the_command_line_starts_quickly(command, seconds):
    assert min(in_a_new_process(LOADED, command)[1] for _ in range(3)) < seconds


def test_a_closed_pipe_is_no_error():
    code = "from hpo_cli.main import main; raise SystemExit(main(['list', '--family', 'trained']))"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 0
