"""`write_report`: a store in, a page with its tables and figures out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from hpo_core.errors import InvalidOption, MissingExtra
from hpo_core.storage.files import write_text
from hpo_leaderboard.report.conclusions import Conclusion, conclusions
from hpo_leaderboard.report.figures.comparisons import P_VALUES
from hpo_leaderboard.report.figures.figure import Figure, Omitted
from hpo_leaderboard.report.figures.files import FIGURES, Drawn, packed_file, write_table
from hpo_leaderboard.report.figures.palette import Style, styles
from hpo_leaderboard.report.figures.vector import WIDTH, File, write_sheets
from hpo_leaderboard.report.latex import board_table, regret_table
from hpo_leaderboard.report.methods import FOLDER, Methods, report_versions, shown
from hpo_leaderboard.report.packing import packed
from hpo_leaderboard.report.scored.groups import Group
from hpo_leaderboard.report.scored.whole_store import ScoredStore, score_store
from hpo_leaderboard.report.second_process import SecondProcess, draw_figures, second_process
from hpo_leaderboard.report.tables import Cell, Row, board_rows, final_regrets, regret_rows
from hpo_leaderboard.scores.incumbents import final_values
from hpo_leaderboard.store.labels import full_label
from hpo_leaderboard.store.schema import StoreUnavailable

TABLES = ("leaderboard.csv", "leaderboard.tex", "final-regret.csv", "final-regret.tex")
NEEDED = ("plotly", "jinja2", "matplotlib")
LARGE = range(100_000, 10_000_000)  # trials for which a second process pays; more would take much memory twice
TRIAL_BYTES = 50  # in a store, about


class Part(NamedTuple):
    """What the page shows of a group.

    `files` are those written for each figure, beside the CSV file; `paths` are all files, from the page's folder on.
    """

    group: Group
    rows: list[Row]
    regrets: list[tuple[str, list[Cell]]]
    figures: list[Figure]
    omitted: list[Omitted]
    files: dict[str, list[File]]
    paths: list[str]
    conclusions: list[Conclusion]


def write_report(store: str | Path | ScoredStore, out_dir: str | Path, *, highlight: str | None = None) -> Path:
    """Path of the page, `index.html` in `out_dir`, after writing it and the files beside it.

    `store` is the path of a store, or what `score_store` made of it; `highlight` an optimizer that the figures show in
    front of the others, by its label or less of it (`full_label`).

    The page needs no other file and no network: all files that are written lie in it too. Beside it they lie in a
    folder for each group of benchmarks on which the same optimizers ran, the data of each figure (CSV), the figures
    (PDF, SVG) and the tables (CSV, LaTeX), and in `methods` the suites that ask for the runs again. Equal stores give
    equal files.
    """
    check_packages()
    with second_process(_n_trials(store) in LARGE) as second:
        scored = store if isinstance(store, ScoredStore) else score_store(store)
        return _write_page(scored, Path(out_dir), highlight, second)


def _n_trials(store: str | Path | ScoredStore) -> int:
    """Number of trials in a report, for a store that was not read yet by the size of its file."""
    if isinstance(store, ScoredStore):
        return sum(len(group.incumbents) for group in store.groups)
    path = Path(store)
    return path.stat().st_size // TRIAL_BYTES if path.is_file() else 0


def _write_page(scored: ScoredStore, out: Path, highlight: str | None, second: SecondProcess | None) -> Path:
    """Path of the page; parameters as for `write_report`, and the process that helps to draw."""
    if not scored.groups:
        raise InvalidOption("a report needs a trial that succeeded, got none; `hpo store info` says why runs broke")
    look = styles(name for group in scored.groups for name in group.optimizers)
    mine = None if highlight is None else full_label(highlight, list(look))
    try:
        for group in scored.groups:
            (out / group.name).mkdir(parents=True, exist_ok=True)
        drawn, plotly = draw_figures(scored.groups, out, look, second)
        parts = [_write_part(group, own, out) for group, own in zip(scored.groups, drawn, strict=True)]
        paths = [path for part in parts for path in part.paths] + _write_methods(scored.methods, out)
        known = {
            f"{group.name}/{name}": content
            for group, own in zip(scored.groups, drawn, strict=True)
            for each in own
            for name, content in each.contents.items()
        }
        files = {path: known.get(path) or packed_file(out / path) for path in paths}
    except OSError as error:
        raise StoreUnavailable(f"cannot write the report to {out} ({error}); take another directory") from None
    page = out / "index.html"
    write_text(page, render(scored, parts, look, files, plotly, mine))
    return page


def write_figures(
    scored: ScoredStore, out_dir: str | Path, *, width: float = WIDTH, labels: Mapping[str, str] | None = None
) -> list[Path]:
    """Paths of the figures of a store for a paper (PDF, SVG), a folder for each group, after writing them; no page.

    Parameters
    ----------
    scored
        What `score_store` made of a store, of chosen optimizers and benchmarks, say.
    out_dir
        Where the folders go.
    width
        Of a figure, in inches; 3.3 is a column of many papers.
    labels
        What optimizers are called in the figures, by name.
    """
    check_packages()
    written = []
    for group in scored.groups:
        folder = Path(out_dir) / group.name
        folder.mkdir(parents=True, exist_ok=True)
        for make in FIGURES:
            figure = make(group)
            if isinstance(figure, Figure):
                files = write_sheets(figure, styles(group.optimizers), folder, width, labels)
                written += [folder / file.name for file in files]
    return written


def check_packages() -> None:
    """Raise `MissingExtra` if a package that a report needs is not installed."""
    for package in NEEDED:
        if find_spec(package) is None:  # not imported: they are, one after the other, where they are used
            raise MissingExtra(package, "report")


def _write_part(group: Group, drawn: list[Drawn], out: Path) -> Part:
    """What the page shows of a group with its figures, after writing its tables."""
    folder = out / group.name
    regrets = final_regrets(group)
    rows, cells = board_rows(group), regret_rows(group, regrets)
    write_table(folder / "leaderboard.csv", group.board)
    write_table(folder / "final-regret.csv", regrets)
    write_text(folder / "leaderboard.tex", board_table(rows, group.benchmarks))
    write_text(folder / "final-regret.tex", regret_table(cells, group.optimizers))
    figures = [each.figure for each in drawn if isinstance(each.figure, Figure)]
    files = {each.figure.name: each.files for each in drawn if isinstance(each.figure, Figure)}
    written = [*TABLES, *(f"{name}.csv" for name in files), *(file.name for own in files.values() for file in own)]
    omitted = [each.figure for each in drawn if isinstance(each.figure, Omitted)]
    tests = [figure.table for figure in figures if figure.name == P_VALUES]
    said = conclusions(tests[0], group.optimizers, final_values(group.incumbents)) if tests else []
    return Part(group, rows, cells, figures, omitted, files, [f"{group.name}/{name}" for name in written], said)


def _write_methods(methods: Methods, out: Path) -> list[str]:
    """Paths of the files of the section, after writing them."""
    (out / FOLDER).mkdir(parents=True, exist_ok=True)
    tables = ("benchmarks", "optimizers", "broken")
    for name in tables:
        write_table(out / FOLDER / f"{name}.csv", getattr(methods, name))
    for file, text in methods.suites.items():
        write_text(out / FOLDER / file, text)
    return [f"{FOLDER}/{name}" for name in (*(f"{name}.csv" for name in tables), *methods.suites)]


def render(
    scored: ScoredStore,
    parts: list[Part],
    look: dict[str, Style],
    files: dict[str, str],
    plotly: str,
    highlight: str | None,
) -> str:
    """HTML of the page.

    Parameters
    ----------
    scored, parts
        What it shows.
    look
        Style of each optimizer.
    files
        Packed contents by path, which the page offers for download.
    plotly
        The packed drawing library.
    highlight
        Optimizer that is shown in front of the others; None for none.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("hpo_leaderboard.report")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    methods = scored.methods
    payload = {
        "highlight": highlight,
        "styles": {name: style._asdict() for name, style in look.items()},
        "figures": {f"{part.group.name}-{figure.name}": figure.payload() for part in parts for figure in part.figures},
    }
    return environment.get_template("page.html").render(
        methods=methods,
        left_out=scored.left_out,
        made_with=report_versions(),
        shown=shown,
        parts=parts,
        styles=look,
        unscored=sorted(set(methods.benchmarks["benchmark"]) - {name for part in parts for name in part.group.of}),
        style_sheet=_template("style.css"),
        scripts=[_template("unpack.js"), _template("plots.js"), _template("page.js")],
        plotly=plotly,
        payload=packed(json.dumps(payload, allow_nan=False, separators=(",", ":")).encode()),
        files=script_json(files),
    )


def script_json(payload: Any) -> str:
    """JSON that may stand inside a script element: no name in it can end the element."""
    return json.dumps(payload, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _template(name: str) -> str:
    from importlib.resources import files

    return (files("hpo_leaderboard.report") / "templates" / name).read_text(encoding="utf-8")
