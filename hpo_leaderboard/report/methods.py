"""The methods section: what was run, with which versions, and the commands that run it again."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

from hpo_leaderboard.experiments.run_seeds import spans
from hpo_leaderboard.report.described import Described, describe_benchmarks, describe_optimizers
from hpo_leaderboard.report.recipe import recipe
from hpo_leaderboard.report.suites import suite_files
from hpo_leaderboard.report.tables import number
from hpo_leaderboard.scores.references import references
from hpo_leaderboard.store.file.descriptions import read_description

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.store.frames import Frames
    from hpo_leaderboard.store.store import Store

FOLDER = "methods"
PACKAGES = ("hpo-foundry", "numpy", "scipy", "pandas", "plotly", "matplotlib")
SHOWN_DIGITS = 16  # of a checksum


class Methods(NamedTuple):
    """What the section shows.

    title         name of the suite
    about         notes of the store about what ran the experiment
    digest        of the store
    benchmarks, optimizers, broken   tables, also written as CSV files
    about_benchmarks, about_optimizers   what each of them is
    suites        TOML texts by file name
    commands      that reproduce the runs and the report
    """

    title: str
    about: dict[str, str]
    digest: str
    n_runs: int
    n_trials: int
    benchmarks: pandas.DataFrame
    optimizers: pandas.DataFrame
    broken: pandas.DataFrame
    about_benchmarks: list[Described]
    about_optimizers: list[Described]
    suites: dict[str, str]
    commands: list[str]


def make_methods(store: Store, frames: Frames) -> Methods:
    """Methods of a store."""
    about = store.about()
    title = about.get("suite", store.path.stem).partition(",")[0]
    said = [read_description(description) for description in frames.runs["description"]]
    suites, digest = suite_files(said, title, store.scoring()), store.digest()
    return Methods(
        title=title,
        about=about,
        digest=digest,
        n_runs=len(frames.runs),
        n_trials=len(frames.trials),
        benchmarks=_benchmarks(frames),
        optimizers=_optimizers(frames.runs),
        broken=_broken(frames.runs),
        about_benchmarks=describe_benchmarks(sorted(set(frames.tasks["benchmark"])), said, store.tasks()),
        about_optimizers=describe_optimizers(sorted(set(frames.runs["optimizer"])), said),
        suites=suites,
        commands=recipe(store.path.name, about, suites, said, digest),
    )


def report_versions() -> dict[str, str]:
    """Versions of what makes a report."""
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def _benchmarks(frames: Frames) -> pandas.DataFrame:
    """A row per benchmark: where it comes from, what its regret is measured from, how long its runs were allowed."""
    table = frames.tasks.merge(references(frames.trials, frames.tasks), on="benchmark")
    limits = frames.runs.groupby("benchmark")[["n_trials_limit", "max_cost_limit"]].agg(_limits)
    table = table.merge(limits.reset_index(), on="benchmark")
    columns = {
        "benchmark": "benchmark",
        "family": "family",
        "n_budgets": "budgets",
        "full_budget": "full budget",
        "reference": "regret zero at",
        "basis": "regret",
        "n_trials_limit": "max. evaluations",
        "max_cost_limit": "max. seconds",
        "checksum": "checksum",
    }
    return table[list(columns)].rename(columns=columns)


def _limits(values: pandas.Series) -> str:
    """The different limits of the runs on a benchmark, in words."""
    known = sorted({float(value) for value in values.dropna()})
    return ", ".join(number(value, 6) for value in known) or "no limit"


def _optimizers(runs: pandas.DataFrame) -> pandas.DataFrame:
    """A row per optimizer: version, runs, seeds, benchmarks, trials."""
    import pandas as pd

    rows = []
    for name, own in runs.groupby("optimizer"):
        rows.append(
            {
                "optimizer": name,
                "version": ", ".join(sorted(own["version"].astype(str).unique())),
                "benchmarks": own["benchmark"].nunique(),
                "runs": len(own),
                "broke": int(own["failure"].notna().sum()),
                "trials": int(own["n_trials"].sum()),
                "seeds": spans(own["seed"]),
            }
        )
    return pd.DataFrame(rows)


def _broken(runs: pandas.DataFrame) -> pandas.DataFrame:
    """A row per way in which runs broke, with how many did."""
    failed = runs[runs["failure"].notna()]
    keys = ["optimizer", "benchmark", "failure"]
    return failed.groupby(keys).size().rename("runs").reset_index().sort_values("runs", ascending=False)


class Shown(NamedTuple):
    """A cell of a table on the page; texts stand on the left, numbers on the right."""

    content: str
    is_text: bool


def shown(table: pandas.DataFrame) -> list[list[Shown]]:
    """Cells of a table for the page, row by row; floats and checksums are shorter than in its CSV file."""

    def cell(column: str, value: Any) -> Shown:
        if isinstance(value, float):
            return Shown(number(value, 6), False)
        return Shown(f"{value}"[:SHOWN_DIGITS] if column == "checksum" else f"{value}", isinstance(value, str))

    return [
        [cell(column, value) for column, value in zip(table.columns, row, strict=True)]
        for row in table.itertuples(index=False)
    ]
