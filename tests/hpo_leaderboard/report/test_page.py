"""The report: its numbers are those of the scores, its files are complete, and its suites give the same runs again."""

import json
import re
import sys
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from packed_files import payload_of, unpacked
from plotly.offline import get_plotlyjs

from hpo_cli.main import main
from hpo_core.errors import InvalidOption, MissingExtra
from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite, open_suite
from hpo_leaderboard.report import write_report
from hpo_leaderboard.scores.incumbents import final_values, incumbents
from hpo_leaderboard.scores.leaderboard import leaderboard
from hpo_leaderboard.store.schema import StoreUnavailable
from hpo_leaderboard.store.store import reading

pytestmark = pytest.mark.slow  # every test needs a whole report
NASTY = "re </script><i>_&%"
SUITE = make_suite(
    "small",
    ["branin", "misbehaving:line", "misbehaving:failing", "counting-ones-4-4"],
    [
        "rs",
        {"name": "re", "label": NASTY, "options": {"population": 5}},
        "de",
        "hyperband",
        "misbehaving:Raising",
    ],
    n_seeds=3,
    n_trials=16,
)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Store and report of a suite with two groups, failed trials, broken runs and a name that needs escaping."""
    folder = tmp_path_factory.mktemp("report")
    run_experiment(SUITE, folder / "small.sqlite", SerialEngine())
    page = write_report(folder / "small.sqlite", folder / "out")
    with reading(folder / "small.sqlite") as store:
        return page, store.path, store.frames(), page.read_text(encoding="utf-8")


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_link_leads_to_a_file_or_a_place_on_the_page(small):
    page, _, _, text = small
    links = re.findall(r'href="([^"]*)"', text.partition("<script")[0])
    assert {"group-1/regret.csv", "group-2/leaderboard.tex", "group-1/regret-seconds.svg", "#methods"} <= set(links)
    for link in map(unescape, links):
        if link.startswith("#"):
            assert f'id="{link[1:]}"' in text
        elif not link.startswith(("data:", "https://arxiv.org/", "https://doi.org/")):
            assert (page.parent / link).stat().st_size > 0, link
    linked = {link for link in links if "/" in link and not link.startswith("https:")}
    assert set(files_of(page.parent)) == linked | {"index.html", "methods/broken.csv"}


def test_the_page_holds_every_file(small):
    page, _, _, text = small
    found = re.search(r'<script type="application/json" id="files">(.*?)</script>', text, re.DOTALL)
    files = {name: unpacked(packed) for name, packed in json.loads(found[1]).items()}
    beside = files_of(page.parent)
    assert files == {name: beside[name] for name in beside if name != "index.html"}


def test_the_page_is_short(small):
    _, _, _, text = small
    library = re.search(r'<script type="text/plain" id="plotly">(.*?)</script>', text, re.DOTALL)[1]
    assert len(library) < 2_000_000  # 4.8 MB as plotly ships it
    assert len(text.encode()) < 2_500_000
    assert unpacked(library).decode() == get_plotlyjs()


def test_parts_stand_in_order_and_names_cannot_break_out(small):
    _, _, _, text = small
    order = ['<table class="board">', 'id="group-1-conclusions"', 'id="group-1-regret"', 'id="group-1-test-regret"']
    order += ['id="group-1-ranks"', 'id="group-1-targets"', 'id="group-1-running-times"', 'id="group-1-profiles"']
    order += ['id="group-1-p-values"', 'id="group-1-critical-differences"']
    order += ['id="group-1-robustness"', 'id="group-1-overhead"', 'id="group-2"', 'id="methods"']
    found = [text.index(part) for part in order]
    assert found == sorted(found)
    assert NASTY not in text
    assert NASTY in payload_of(text)["styles"]
    assert text.count('id="plotly"') == 1


def test_curves_are_those_of_the_trials(small):
    _, _, frames, text = small
    trials = frames.trials[frames.trials["benchmark"] == "branin"]
    optimum = frames.tasks.set_index("benchmark").loc["branin", "optimum"]
    view = payload_of(text)["figures"]["group-1-regret"]["views"]["branin|evaluations"]
    assert view["x"] == list(range(1, 17))
    for line in view["lines"]:
        own = trials[trials["optimizer"] == line["optimizer"]]
        curves = [run["loss"].cummin().to_numpy() - optimum for _, run in own.groupby("seed")]
        length = max(map(len, curves))
        carried = np.array([np.pad(curve, (0, length - len(curve)), mode="edge") for curve in curves])
        median, low = np.median(carried, axis=0), np.quantile(carried, 0.25, axis=0)
        np.testing.assert_allclose(line["y"][:length], median, rtol=1e-3)
        np.testing.assert_allclose(line["low"][:length], low, rtol=1e-3)


def test_tables_are_the_scores(small):
    page, _, frames, text = small
    table = incumbents(frames.trials, frames.tasks)
    chosen = table[table["benchmark"] != "counting-ones-4-4"]
    board = leaderboard(chosen, frames.runs[frames.runs["benchmark"] != "counting-ones-4-4"])
    written = pd.read_csv(page.parent / "group-1" / "leaderboard.csv")
    reached = ["reached", "reached_low", "reached_high"]  # of other targets, which do not depend on who takes part
    pd.testing.assert_frame_equal(written.drop(columns=reached), board.drop(columns=reached), check_dtype=False)
    shown = re.findall(r'<th scope="row" class="text"><span class="position">\d+</span><svg.*?</svg>(.*?)</th>', text)
    assert [unescape(name) for name in shown[: len(board)]] == list(board["optimizer"])
    regrets = pd.read_csv(page.parent / "group-1" / "final-regret.csv").set_index(["benchmark", "optimizer"])
    medians = final_values(chosen).groupby(level=["benchmark", "optimizer"]).median()
    np.testing.assert_allclose(regrets["median"].sort_index(), medians.sort_index())


def test_groups_and_their_axes(small):
    _, _, _, text = small
    figures = payload_of(text)["figures"]
    assert figures["group-1-regret"]["choices"][1]["options"] == ["evaluations", "seconds"]
    assert figures["group-2-regret"]["choices"][1]["options"] == ["seconds", "evaluations"]
    assert "all benchmarks" not in figures["group-2-regret"]["choices"][0]["options"]
    ranked = [line["optimizer"] for line in figures["group-2-ranks"]["views"]["seconds"]["lines"]]
    assert ranked == ["de", "hyperband", NASTY, "rs"]
    assert "since all their runs broke: misbehaving:Raising." in text
    assert "<b>Critical differences</b> is not shown. Critical differences need three optimizers" in text
    assert figures["group-1-test-regret"]["choices"][0]["options"] == ["misbehaving:line"]


def test_methods_say_what_was_run(small):
    page, path, frames, text = small
    with reading(path) as store:
        assert store.digest() in text
    for checksum in frames.tasks["checksum"]:
        assert checksum[:16] in text
    optimizers = pd.read_csv(page.parent / "methods" / "optimizers.csv").set_index("optimizer")
    assert optimizers.loc["rs", "seeds"] == "0-2"
    assert optimizers.loc["misbehaving:Raising", "broke"] == 12
    assert "cannot learn from this" in text


def test_suites_ask_for_the_same_runs(small, tmp_path):
    page, path, _, text = small
    suites = sorted((page.parent / "methods").glob("*.toml"))
    assert [suite.name for suite in suites] == ["suite-1.toml", "suite-2.toml"]
    for suite in suites:
        assert f"hpo leaderboard {suite.name} --store small.sqlite --out report" in text
        asked = open_suite(suite, allow_import=True)
        digest = run_experiment(asked, tmp_path / "again.sqlite", SerialEngine()).digest
    with reading(path) as store:
        assert digest == store.digest()


def test_figures_and_tables_for_papers(small):
    page, _, _, _ = small
    folder = page.parent / "group-1"
    for path in folder.glob("*.svg"):
        assert ElementTree.parse(path).getroot().tag.endswith("svg")
        assert path.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    legend = (folder / "regret-evaluations.svg").read_text()
    assert ">hyperband<" not in legend
    assert ">rs<" in legend
    for name, n_rows, columns in (("leaderboard", 4, 8), ("final-regret", 4, 4)):
        text = (folder / f"{name}.tex").read_text()
        rows = [line for line in text.splitlines() if line.endswith(r"\\")]
        assert len(rows) == n_rows
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {columns - 1}
        assert r"re </script><i>\_\&\%" in text


def test_a_single_run_is_shown_without_intervals_and_comparisons(tmp_path):
    run_experiment(make_suite("one", ["branin"], ["rs"], n_seeds=1, n_trials=3), tmp_path / "s.sqlite", SerialEngine())
    text = write_report(tmp_path / "s.sqlite", tmp_path / "out").read_text()
    figures = payload_of(text)["figures"]
    assert "group-1-p-values" not in figures
    assert "A comparison needs two optimizers" in text
    assert figures["group-1-targets"]["views"]["branin|evaluations"]["lines"][0]["low"] == [None, None, None]
    assert "nan" not in text.partition("<script")[0]


def test_benchmarks_without_a_success_are_named(tmp_path):
    path = tmp_path / "s.sqlite"
    hopeless = {"name": "report_problems:hopeless", "label": "hopeless"}
    run_experiment(make_suite("bad", [hopeless], ["rs"], n_seeds=2, n_trials=2), path, SerialEngine())
    with pytest.raises(InvalidOption, match="a trial that succeeded"):
        write_report(path, tmp_path / "out")
    run_experiment(make_suite("good", ["branin"], ["rs"], n_seeds=2, n_trials=3), path, SerialEngine())
    assert "no trial succeeded there: hopeless." in write_report(path, tmp_path / "out").read_text()


@pytest.mark.parametrize("module", ["plotly", "jinja2", "matplotlib"])
def test_a_missing_package_is_named_before_anything_is_written(small, tmp_path, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=r"hpo-foundry\[report\]"):
        write_report(small[1], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_directory_that_cannot_be_written_is_named(small, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailable, match="cannot write the report"):
        write_report(small[1], tmp_path / "file")


def test_the_command_writes_equal_files_beside_an_equal_store(small, tmp_path, capsys):
    page, path, _, _ = small
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    assert main(["report", str(copy)]) == 0
    assert capsys.readouterr().out == f"page: {tmp_path / 'index.html'}\n"
    for file in tmp_path.glob("small.sqlite*"):
        file.unlink()
    assert files_of(tmp_path) == files_of(page.parent)


def test_compare_prints_effect_interval_and_corrected_p(small, capsys):
    _, path, frames, _ = small
    assert main(["compare", str(path), "rs", "de"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:6]] == [*sorted(frames.tasks["benchmark"]), "all"]
    fields = lines[1].split()
    final = final_values(incumbents(frames.trials, frames.tasks)).loc["branin"]
    wins = [(a < b) + 0.5 * (a == b) for a in final["rs"] for b in final["de"]]
    assert fields[:2] == ["branin", "3+3"]
    assert float(fields[4]) == pytest.approx(np.mean(wins), abs=0.005)
    low, high = map(float, fields[5].split(".."))
    assert low <= np.mean(wins) + 0.005
    assert high >= np.mean(wins) - 0.005
    assert float(fields[7]) >= float(fields[6])
    for arguments, words in ((("rs", "hyperbnd"), "did you mean hyperband"), (("rs", "rs"), "two different")):
        assert main(["compare", str(path), *arguments]) == 2
        assert words in capsys.readouterr().err
