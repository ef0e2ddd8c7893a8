"""`write_report`: a store in, a page with its tables and figures out."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hpo_core.errors import InvalidOption, MissingExtra
from hpo_core.storage.files import replacing
from hpo_leaderboard.report.comparison_figures import COMPARISONS
from hpo_leaderboard.report.curve_figures import CURVES
from hpo_leaderboard.report.figure import Figure, Omitted
from hpo_leaderboard.report.groups import Group
from hpo_leaderboard.report.latex import board_table, regret_table
from hpo_leaderboard.report.methods import FOLDER, Methods, report_versions, shown
from hpo_leaderboard.report.palette import Style, styles
from hpo_leaderboard.report.scored_store import ScoredStore, score_store
from hpo_leaderboard.report.tables import Cell, Row, board_rows, final_regrets, regret_rows
from hpo_leaderboard.report.vector_figures import File, write_sheets
from hpo_leaderboard.store.schema import StoreUnavailable

if TYPE_CHECKING:
    import pandas

NEEDED = {"plotly": "plotly", "jinja2": "jinja2", "matplotlib": "matplotlib", "scikit_posthocs": "scikit-posthocs"}


class Part(NamedTuple):
    """What the page shows of a group; `files` are those written for each figure, beside the CSV file."""

    group: Group
    rows: list[Row]
    regrets: list[tuple[str, list[Cell]]]
    figures: list[Figure]
    omitted: list[Omitted]
    files: dict[str, list[File]]


def write_report(store: str | Path | ScoredStore, out_dir: str | Path) -> Path:
    """Path of the page, `index.html` in `out_dir`, after writing it and the files beside it.

    `store` is the path of a store, or what `score_store` made of it.

    The page needs no other file and no network. Beside it lie, in a folder for each group of benchmarks on which the
    same optimizers ran, the data of each figure (CSV), the figures (PDF, SVG) and the tables (CSV, LaTeX), and in
    `methods` the suites that ask for the runs again. Equal stores give equal files.
    """
    for module, package in NEEDED.items():
        try:
            import_module(module)
        except ImportError:
            raise MissingExtra(package, "report") from None
    out = Path(out_dir)
    scored = store if isinstance(store, ScoredStore) else score_store(store)
    if not scored.groups:
        raise InvalidOption("a report needs a trial that succeeded, got none; `hpo store info` says why runs broke")
    look = styles(name for group in scored.groups for name in group.optimizers)
    try:
        parts = [_write_part(group, out, look) for group in scored.groups]
        _write_methods(scored.methods, out / FOLDER)
    except OSError as error:
        raise StoreUnavailable(f"cannot write the report to {out} ({error}); take another directory") from None
    page = out / "index.html"
    with replacing(page) as temporary:
        temporary.write_text(render(scored.methods, parts, look), encoding="utf-8")
    return page


def _write_part(group: Group, out: Path, look: dict[str, Style]) -> Part:
    """Scores of a group, after writing its files."""
    folder = out / group.name
    folder.mkdir(parents=True, exist_ok=True)
    regrets = final_regrets(group)
    rows, cells = board_rows(group), regret_rows(group, regrets)
    _write_table(folder / "leaderboard.csv", group.board)
    _write_table(folder / "final-regret.csv", regrets)
    (folder / "leaderboard.tex").write_text(board_table(rows, group.benchmarks), encoding="utf-8")
    (folder / "final-regret.tex").write_text(regret_table(cells, group.optimizers), encoding="utf-8")
    made = [make(group) for make in (*CURVES, *COMPARISONS)]
    figures = [figure for figure in made if isinstance(figure, Figure)]
    files = {}
    for figure in figures:
        _write_table(folder / f"{figure.name}.csv", figure.table)
        files[figure.name] = write_sheets(figure, look, folder)
    return Part(group, rows, cells, figures, [figure for figure in made if isinstance(figure, Omitted)], files)


def _write_methods(methods: Methods, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("benchmarks", "optimizers", "broken"):
        _write_table(folder / f"{name}.csv", getattr(methods, name))
    for file, text in methods.suites.items():
        (folder / file).write_text(text, encoding="utf-8")


def _write_table(path: Path, table: pandas.DataFrame) -> None:
    table.to_csv(path, index=False)


def render(methods: Methods, parts: list[Part], look: dict[str, Style]) -> str:
    """HTML of the page."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from plotly.offline import get_plotlyjs

    loader = PackageLoader("hpo_leaderboard.report")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    payload = {
        "styles": {name: style._asdict() for name, style in look.items()},
        "figures": {f"{part.group.name}-{figure.name}": figure.payload() for part in parts for figure in part.figures},
    }
    return environment.get_template("page.html").render(
        methods=methods,
        made_with=report_versions(),
        shown=shown,
        parts=parts,
        styles=look,
        unscored=sorted(set(methods.benchmarks["benchmark"]) - {name for part in parts for name in part.group.of}),
        style_sheet=_template("style.css"),
        script=_template("page.js"),
        plotly=get_plotlyjs(),
        payload=script_json(payload),
    )


def script_json(payload: Any) -> str:
    """JSON that may stand inside a script element: no name in it can end the element."""
    return json.dumps(payload, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _template(name: str) -> str:
    from importlib.resources import files

    return (files("hpo_leaderboard.report") / "templates" / name).read_text(encoding="utf-8")
