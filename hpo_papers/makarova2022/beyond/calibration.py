"""How often a bound is below the regret: the recorded one, ours, and ways to calibrate it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_leaderboard.stopping.pictures import COLOURS, STYLES, legend_below, panels_of, tidy
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.beyond.tables import CHECKS, THRESHOLDS, bounds_by_way, regrets, stops_at
from hpo_papers.makarova2022.bounds.own import COLUMNS, bounds_along
from hpo_papers.makarova2022.record.contents import ALGORITHMS, TABLES, record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FACTORS = np.geomspace(0.1, 10.0, 41)
CV_CHECKS = list(range(20, 200, 20))
CV_RUN = 9  # the last of each dataset


def compute(work: Work) -> Numbers:
    """Calibration on the tables, where the regret is known, and on cross-validation, where a part of it is."""
    bounds, true, checks = bounds_by_way(work), regrets(work), work.thinned(CHECKS, 2)
    return {
        "tables": {way: _summary(values, bounds["recorded"], true, checks) for way, values in bounds.items()},
        "cv": _cross_validation(work),
    }


def _summary(bounds: np.ndarray, recorded: np.ndarray, true: np.ndarray, checks: list[int]) -> dict[str, Any]:
    """Underestimates by table and in all, size against the recorded bound, curve, and stops at thresholds."""
    with np.errstate(invalid="ignore", divide="ignore"):
        sizes = np.log(np.maximum(bounds, 1e-12) / recorded)
    return {
        "below": float((bounds < true).mean()),
        "by_table": {name: float((bounds[:, i] < true[:, i]).mean()) for i, name in enumerate(TABLES)},
        "size": {name: float(np.exp(np.nanmedian(sizes[:, i]))) for i, name in enumerate(TABLES)},
        "curve": [float((factor * bounds >= true).mean()) for factor in FACTORS],
        "stops": {f"{threshold:g}": stops_at(bounds, true, threshold, checks) for threshold in THRESHOLDS},
        "stops_by_table": {
            name: {f"{t:g}": stops_at(bounds[:, i], true[:, i], t, checks) for t in THRESHOLDS}
            for i, name in enumerate(TABLES)
        },
    }


def _cross_validation(work: Work) -> dict[str, Any]:
    """Bounds against how much better the incumbent still got: a regret that is at least as large."""
    found: dict[str, Any] = {}
    keys = [(name, dataset, CV_RUN) for name in ALGORITHMS for dataset in work.thinned(range(19), 2)]
    checks = work.thinned(CV_CHECKS, 2)
    ways = {"own": (), "calibrated": (0.5, None, True)}
    bounds = {"recorded": np.array([record().runs["cv", n]["bound"][d, r, checks] for n, d, r in keys])}
    for way, options in ways.items():
        parts = work.parts(bounds_along, [("cv", *key, checks, *options) for key in keys])
        bounds[way] = np.array(parts, dtype=float)[:, :, COLUMNS.index("bound")]
    best = np.minimum.accumulate([record().runs["cv", n]["loss"][d, r] for n, d, r in keys], axis=-1)
    improved = best[:, np.array(checks) - 1] - best[:, -1:]
    for way, values in bounds.items():
        found[way] = {
            "below": float((values < improved).mean()),
            "size": float(np.nanmedian(values / bounds["recorded"])),
            "curve": [float((factor * values >= improved).mean()) for factor in FACTORS],
        }
    return found


def verdict(numbers: Numbers) -> Verdict:
    ours, theirs = numbers["tables"]["calibrated"], numbers["tables"]["recorded"]
    claims = {
        f"the calibrated bound is below the regret at {ours['below']:.1%} of the checks, the recorded one at "
        f"{theirs['below']:.1%}": ours["below"] < theirs["below"]
    }
    for threshold in ours["stops"]:
        own, recorded = ours["stops"][threshold], theirs["stops"][threshold]
        claims[
            f"at {threshold} it saves {own['saved']:.3f} against {recorded['saved']:.3f}, and of {own['stops']} stops "
            f"{own['above']} are too early, against {recorded['above']} of {recorded['stops']}"
        ] = own["saved"] >= recorded["saved"] and own["above"] * recorded["stops"] <= recorded["above"] * own["stops"]
    return claims_hold(claims)


def compare(numbers: Numbers) -> Sequence[Comparison]:
    rows = []
    for way, found in numbers["tables"].items():
        rows.append(Comparison(f"{way}: share of the checks below the regret", None, found["below"]))
        for name in TABLES:
            rows.append(Comparison(f"{way}, {name}: share below the regret", None, found["by_table"][name]))
            rows.append(Comparison(f"{way}, {name}: median ratio to the recorded bound", None, found["size"][name]))
        for threshold, stops in found["stops"].items():
            for key, digits in (("stops", 0), ("above", 0), ("saved", 3)):
                rows.append(Comparison(f"{way}, threshold {threshold}: {key}", None, stops[key], digits=digits))
        for name, by_threshold in found["stops_by_table"].items():
            for threshold, stops in by_threshold.items():
                what = (
                    f"{way}, {name}, threshold {threshold}: {stops['above']} of {stops['stops']} stops too early, saved"
                )
                rows.append(Comparison(what, None, stops["saved"]))
    for way, found in numbers["cv"].items():
        rows.append(Comparison(f"cross-validation, {way}: share below the later improvement", None, found["below"]))
    return rows


def draw(numbers: Numbers) -> Figure:
    """Calibration curves: share of the checks at which a multiple of the bound covers the regret."""
    figure, panels = panels_of(2, 5.4, 4.0)
    labels = list(numbers["tables"])
    for axes, key, title in zip(
        panels, ("tables", "cv"), ("FC-Net tables: the regret", "cross-validation: the later improvement"), strict=True
    ):
        for way, found in numbers[key].items():
            i = labels.index(way)
            axes.plot(FACTORS, found["curve"], color=COLOURS[i], linestyle=STYLES[i % len(STYLES)], label=way)
        axes.axvline(1.0, color="#666666", linewidth=0.8)
        axes.set_xscale("log")
        tidy(axes, title, "multiple of the bound", "share of the checks that it covers")
    legend_below(figure, panels[0])
    return figure


ITEM = Item(
    title="Calibration of the bound",
    printed="Nothing; the paper finds the true regret within the threshold at 80 to 90 % of the stops.",
    protocol="Recorded runs 10 and later of random search, TPE and BORE on the four tables, 24 checks of each "
    "from evaluation 20 on; the regret is the incumbent's observed loss less the lowest one of the "
    "table. Ways: the recorded bound; ours; ours with standard deviations multiplied by the root mean "
    "square of the leave-one-out residuals; ours with the undivided beta; the calibrated one, of log "
    "losses with the undivided beta. With cross-validation the optimum is not known, and the regret is "
    "at least what the incumbent still improves by.",
    departures="Not in the paper. The calibrated bound was found on runs 0 to 5, which are left out here.",
    rule="reproduced (our claim holds) if the calibrated bound is below the regret at fewer checks than the "
    "recorded one, and at each of 0.0001, 0.001 and 0.01 saves as much or more, with no larger share of"
    " stops that come too early; else differs",
    notes="Leave-one-out residuals do not help: their root mean square is 1.0 (.97 to 1.05 for half of 1,140 "
    "fits with cross-validation), and no larger where the bound is too low: the process is calibrated "
    "on what it has seen, and what it has not seen are configurations that are better than all. A "
    "factor from hindsight (how much the incumbent improved beyond earlier bounds) did no better than a"
    " constant one. The undivided beta alone is never too low here, and saves .36 in place of .64 at "
    "0.01 and .03 in place of .18 at 0.0001. With logarithms the bound is 15 to 25 times smaller on "
    "naval and slice, whose best losses are far below most others, and three times larger on protein, "
    "where the recorded one is too low most often and where this one never stops. So it is too low at "
    "fewer checks, and at 0.001 and 0.01 it saves more with fewer stops that come too early. At 0.0001 "
    "the two are close: with 3 of 10 runs it saved .178 against .180, which the rule counts as a "
    "failure, with 5 it saves .207 against .180.",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
    cost=lambda runs: 12.0 + 45.0 * runs,
    runs=10,
    switch="own-bounds",
)
