"""A suite's file is data: nothing in it is imported unless the user allows it, and what is odd is refused."""

import sys

import pytest

from hpo_cli.main import main
from hpo_core.errors import HpoError, InvalidOption
from hpo_leaderboard.experiments.members import Member
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.suite import ForbiddenImport, make_suite, open_suite
from hpo_leaderboard.leaderboards import leaderboard

SHELL = """
benchmarks = [{ name = "os:system", options = { command = "touch TOUCHED" } }]
optimizers = ["rs"]
"""


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """A module that leaves a file when it is imported."""
    (tmp_path / "planted.py").write_text(f"open({str(tmp_path / 'TOUCHED')!r}, 'w').close()\nMine = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "planted", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    "names", ['["branin"]\noptimizers = ["planted:Mine"]', '["planted:Mine"]\noptimizers = ["rs"]']
)
@pytest.mark.parametrize("words", [("leaderboard",), ("leaderboard", "--dry-run"), ("store", "missing")])
def test_a_file_that_names_code_is_refused_and_nothing_is_imported(planted, capsys, words, names):
    suite = planted / "mine.toml"
    suite.write_text(f"benchmarks = {names}\nn_seeds = 1\nn_trials = 2\n")
    store = [str(planted / "s.sqlite")] if "missing" in words else ["--out", str(planted / "out")]
    assert main([*words, str(suite), *store]) == 2
    assert "planted:Mine" in (error := capsys.readouterr().err) and "--allow-import" in error
    with pytest.raises(ForbiddenImport):
        leaderboard(suite)
    assert not (planted / "TOUCHED").exists() and "planted" not in sys.modules


def test_a_command_of_the_shell_is_not_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(SHELL)
    assert main(["leaderboard", "mine.toml"]) == 2
    assert not (tmp_path / "TOUCHED").exists()


@pytest.mark.slow
def test_your_own_command_line_and_permission_are_enough(no_page, tmp_path, capsys):
    suite = tmp_path / "mine.toml"
    suite.write_text('benchmarks = ["branin"]\noptimizers = ["misbehaving:Sampling"]\nn_seeds = 1\nn_trials = 2\n')
    common = ["--engine", "serial", "--out", str(tmp_path / "out")]
    assert main(["leaderboard", str(suite), "--allow-import", *common]) == 0
    names = ["--benchmarks", "branin", "--optimizers", "misbehaving:Sampling", "--seeds", "1", "--trials", "2"]
    assert main(["leaderboard", "quick", *names, *common]) == 0


@pytest.mark.parametrize("name", ["../../escaped", "/abs/x", "a/b", "a\\\\b", "..", "", "x" * 101, "a\\u0000b", "C:x"])
def test_the_name_of_a_suite_is_no_path(tmp_path, monkeypatch, capsys, name):
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    (tmp_path / "in" / "mine.toml").write_text(f'name = "{name}"\nbenchmarks = ["branin"]\noptimizers = ["rs"]\n')
    assert main(["leaderboard", "mine.toml", "--engine", "serial"]) == 2
    assert "the name of a suite" in capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("*")] == ["in", "mine.toml"]


@pytest.mark.parametrize("label", ["a\x1b[31m", "two\nlines", "x" * 1001, "right\u202eleft", "\ud800"])
def test_labels_that_steer_a_terminal_or_fill_it_are_refused(label):
    with pytest.raises(InvalidOption, match="printable characters"):
        Member("rs", label=label)
    with pytest.raises(InvalidOption, match="printable characters"):
        Member(label)


@pytest.mark.parametrize(
    "text",
    [
        "benchmarks = 5\noptimizers = ['rs']",
        "benchmarks = {a = 1}\noptimizers = ['rs']",
        "benchmarks = [5]\noptimizers = ['rs']",
        "benchmarks = [[]]\noptimizers = ['rs']",
        "benchmarks = ['branin']\noptimizers = [{name = 5}]",
        "benchmarks = ['branin']\noptimizers = [{name = 'rs', options = 5}]",
        "benchmarks = ['branin']\noptimizers = [{name = 'rs', options = {a = 1979-05-27}}]",
        "benchmarks = ['branin']\noptimizers = ['rs']\nname = 5",
        "benchmarks = ['branin']\noptimizers = ['rs']\nscoring = 5",
        "benchmarks = ['branin']\noptimizers = ['rs']\nresume = []",
        "benchmarks = ['branin']\noptimizers = ['rs']\ntargets = 5",
        "benchmarks = ['branin']\noptimizers = ['rs']\nincumbent = []",
        "benchmarks = ['branin']\noptimizers = ['rs']\ncutoffs = {branin = []}",
        "benchmarks = ['branin']\noptimizers = ['rs']\nn_seeds = 100000000",
        f"benchmarks = ['branin']\noptimizers = ['rs']\nn_trials = {10**400}",
        f"benchmarks = ['branin']\noptimizers = ['rs']\nmax_cost = {10**400}",
        f"benchmarks = ['branin']\noptimizers = ['rs']\ncutoffs = {{branin = {10**400}}}",
        f"benchmarks = ['branin']\noptimizers = ['rs']\nfirst_seed = {2**64}",
        "benchmarks = ['profet-svm/0..999999999']\noptimizers = ['rs']",
        "a = " + "[" * 5000,
        "\xff",
    ],
)
def test_odd_files_are_refused_in_our_words(tmp_path, text):
    (tmp_path / "odd.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(HpoError):
        open_suite(tmp_path / "odd.toml")


def test_a_suite_that_is_too_large_is_refused_before_it_is_built():
    with pytest.raises(InvalidOption, match="at most 100,000 names"):
        make_suite("large", ["profet-svm/0..999999999"], ["rs"])
    with pytest.raises(InvalidOption, match="at most 1,000,000 runs"):
        make_plan(make_suite("large", ["branin", "forrester"], ["rs"], n_seeds=1_000_000))
