"""How often `regret-bound` stops too early on the FC-Net tables: with the recorded bounds, and our default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core import Benchmark
from hpo_leaderboard.stopping.pictures import COLOURS, legend_below, panels_of, tidy
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.beyond.tables import lowest_losses
from hpo_papers.makarova2022.bounds.spaces import WORDS
from hpo_papers.makarova2022.bounds.tables import DEFAULT, default_bounds
from hpo_papers.makarova2022.record import rules
from hpo_papers.makarova2022.record.contents import OPTIMIZERS, TABLES, Runs, record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

THRESHOLDS = (1e-4, 1e-3, 1e-2)
MOST = 0.2  # share of stops above the threshold, as the paper finds


def compute(work: Work) -> Numbers:
    """Counts by settings, table and threshold."""
    recorded = {name: record().runs["fcnet", name] for name in OPTIMIZERS}
    few = {name: runs.subset(work.runs) for name, runs in recorded.items()}
    own = {name: default_bounds(work, "fcnet", name) for name in OPTIMIZERS}
    return {
        "default": counts(few, own, DEFAULT.warm_up),
        "reference-code": counts(recorded, {name: runs["bound"] for name, runs in recorded.items()}, 5),
        "runs": work.runs,
    }


def counts(runs: dict[str, Runs], bounds: dict[str, np.ndarray], warm_up: int) -> dict[str, list[dict[str, Any]]]:
    """Counts over all optimizers, by table and over all tables."""
    rows: dict[str, list[dict[str, Any]]] = {"all": [], **{table: [] for table in TABLES}}
    regrets = {name: noise_free_regrets(own) for name, own in runs.items()}
    observed = {name: own["loss"] - lowest_losses()[:, None, None] for name, own in runs.items()}
    for threshold in THRESHOLDS:
        stops = {name: rules.bound_stops(bounds[name], threshold, warm_up) for name in runs}
        for table, found in rows.items():
            at = slice(None) if table == "all" else slice(TABLES.index(table), TABLES.index(table) + 1)
            stop = np.concatenate([stops[name][at].ravel() for name in runs])
            true, seen = (
                np.concatenate([rules.at_stop(of[n], runs[n]["loss"], stops[n])[at].ravel() for n in runs])
                for of in (regrets, observed)
            )
            stopped = stop < 499
            found.append(
                {
                    "threshold": threshold,
                    "runs": len(stop),
                    "stops": int(stopped.sum()),
                    "above": int((true[stopped] > threshold).sum()),
                    "observed_above": int((seen[stopped] > threshold).sum()),
                    "saved": round(float((1.0 - stop[stopped] / 500).mean()), 3) if stopped.any() else None,
                }
            )
    return rows


def noise_free_regrets(runs: Runs) -> np.ndarray:
    """(table, run, evaluation) mean loss over the table's repetitions less the lowest such mean, of each evaluation."""
    from tabular import open_table

    space = Benchmark(TABLES[0]).space
    columns = sorted(h.name for h in space)
    codes = []
    h: Any  # ordinal or categorical
    for h in space:
        own = runs["config"][..., columns.index(h.name)].astype(int)
        order = np.array([list(h.values).index(word) for word in sorted(h.values)]) if h.name in WORDS else None
        codes.append(own if order is None else order[own])
    indices = np.stack(codes, axis=-1) @ space.grid.strides
    found = []
    for table, rows in zip(TABLES, indices, strict=True):
        means = open_table(table).values("loss").mean(axis=1)
        found.append(means[rows] - means.min())
    return np.array(found)


def verdict(numbers: Numbers) -> Verdict:
    claims = {}
    for settings in ("default", "reference-code"):
        for row in numbers[settings]["all"]:
            words = f"{settings}, threshold {row['threshold']:g}: {row['above']} of {row['stops']} stops too early"
            claims[words] = row["above"] <= MOST * row["stops"]
    return claims_hold(claims)


def compare(numbers: Numbers) -> Sequence[Comparison]:
    return [
        Comparison(
            f"{settings}, {table}, threshold {row['threshold']:g}: {key} (of {row['runs']})", None, row[key], digits=0
        )
        for settings in ("default", "reference-code")
        for table, rows in numbers[settings].items()
        for row in rows
        for key in ("stops", "above")
    ]


def draw(numbers: Numbers) -> Figure:
    """Share of the stops that come too early, by threshold."""
    figure, (axes,) = panels_of(1, 8.0, 3.4)
    for settings, colour in zip(("default", "reference-code"), COLOURS, strict=False):
        rows = [row for row in numbers[settings]["all"] if row["stops"]]
        shares = [row["above"] / row["stops"] for row in rows]
        axes.plot([row["threshold"] for row in rows], shares, "o-", color=colour, label=settings)
    axes.set_xscale("log")
    tidy(axes, "all tables and optimizers", "threshold", "share of the stops with a regret above it")
    legend_below(figure, axes)
    return figure


ITEM = Item(
    title="Stops that come too early",
    printed="The true regret is within the threshold at 80 to 90 % of the stops (BORE, by test error).",
    protocol="Recorded runs of random search, TPE and BORE on the four tables. The authors' rule with their "
    "bounds on all 600; the default of regret-bound with the bounds of this package's model on the "
    "first runs. The true regret is the mean loss of the incumbent over the table's repetitions less "
    "the lowest such mean.",
    departures="By noise-free validation loss in place of the test error, of three optimizers in place of BORE.",
    rule="reproduced if at each of 0.0001, 0.001 and 0.01 at most 20 % of the stops of either setting have a"
    " true regret above the threshold; else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
    cost=lambda runs: 3.0 + 75.0 * runs,
    runs=10,
    notes="One of the six shares is above 20 %: 92 of 443 stops (21 %) of the authors' rule at 0.01, over three "
    "optimizers and by validation loss. For BORE alone and by test error the recorded stops have the printed counts: "
    "figure 5.",
    switch="own-tables",
)
