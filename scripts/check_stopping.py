"""Check the stopping criteria against recorded runs of Makarova et al. (2022), next to the bounds they recorded.

    python scripts/check_stopping.py RUNS.csv.gz [RUNS.csv.gz ...]      tables with a column reference_bound

1. With the recorded bounds instead of the model's, the criteria stop where a direct implementation of the rules stops.
2. The bound of the model against the recorded one: median ratio, median absolute log ratio, correlation of the logs.
3. The scores of both bounds under the authors' rules: mean absolute difference of RTC, difference of the mean RYC.
4. The default of `cv-regret-bound` against the authors' 0.5 (scale 0.5 / 0.21), with the model's bound and with the
   recorded one.

All but the first take about 20 ms per trial of a run with 200 trials, 60 ms with 500.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from baselines.stopping.conv import Convergence
from baselines.stopping.cv_regret_bound import CVRegretBound
from baselines.stopping.regret_bound import RegretBound
from hpo_leaderboard.stopping.printed import HALF
from hpo_leaderboard.stopping.recorded_runs import RecordedRun
from hpo_leaderboard.stopping.replay import RecordedBounds, scored, stop_of
from hpo_leaderboard.stopping.run_sources import read_runs

THRESHOLDS = (1e-4, 1e-3, 1e-2)
PATIENCES = (10, 30, 50)
SCALES = (1.0, HALF)
RATIO = (0.95, 1.05)  # of medians
LOG_RATIO = {"RF": 0.08, "tables": 0.10}  # median of the absolute values
CORRELATION, RTC, RYC = 0.99, 0.03, 0.005


def has_folds(run: RecordedRun) -> bool:
    return "folds" in run.trials[0].result.info


def group_of(run: RecordedRun) -> str:
    """RF, XGB, or one group for all tables."""
    return run.optimizer if has_folds(run) else "tables"


def first(n: int, start: int, holds: Callable[[int], bool]) -> int:
    """First t in start..n-1 for which `holds(t)`, n if there is none."""
    return next((t for t in range(start, n) if holds(t)), n)


def direct_stops(run: RecordedRun) -> dict[str, int]:
    """Stops by a direct implementation of the rules on arrays, which shares no code with the criteria."""
    losses = np.array([trial.loss for trial in run.trials])
    bounds, n = np.asarray(run.reference_bounds), len(losses)
    best = np.array([int(np.argmin(losses[: t + 1])) for t in range(n)])
    warm_up = 20 if has_folds(run) else 5
    stops = {}
    for patience in PATIENCES:
        stops[f"conv {patience}"] = first(n, warm_up, lambda t: t - max(best[t - 1] + 1, warm_up) >= patience)  # noqa: B023
    if has_folds(run):
        folds = np.array([trial.result.info["folds"] for trial in run.trials])
        error = np.sqrt(1 / 10 + 1 / 9) * folds.std(axis=1)
        for scale in SCALES:
            stops[f"cv {scale:.3g}"] = first(n, 20, lambda t: bounds[t] < scale * error[best[19]])  # noqa: B023
    else:
        for threshold in THRESHOLDS:
            stops[f"bound {threshold:g}"] = first(n, 5, lambda t: bounds[t] < threshold)  # noqa: B023
    return stops


def rules(run: RecordedRun, bounds: np.ndarray) -> dict[str, Any]:
    """The same rules as criteria, with given bounds instead of the model's."""
    given, warm_up = RecordedBounds(bounds), 20 if has_folds(run) else 5
    made: dict[str, Any] = {f"conv {i}": Convergence(run.space, i, warm_up=warm_up) for i in PATIENCES}
    variant = {"variant": "reference-code", "bounds": given}
    if has_folds(run):
        return made | {f"cv {scale:.3g}": CVRegretBound(run.space, scale, **variant) for scale in SCALES}
    return made | {f"bound {t:g}": RegretBound(run.space, t, **variant) for t in THRESHOLDS}


class OwnBounds(NamedTuple):
    """(n,) bounds of the model, entry t on the first t trials, NaN where none was recorded.

    `all` are those of the authors' rules, `trusted` those of the default, NaN where it does not trust the bound.
    """

    all: np.ndarray
    trusted: np.ndarray


def own_bounds(run: RecordedRun) -> OwnBounds:
    """Bounds of the model along a run."""
    rules = RegretBound(run.space, 1.0, variant="reference-code"), RegretBound(run.space, 1.0)
    bounds = np.full((2, len(run.trials)), np.nan)
    for t in np.flatnonzero(np.isfinite(run.reference_bounds)):
        bounds[:, t] = [rule.bound(run.trials[:t]) for rule in rules]
    bounds[np.isinf(bounds)] = np.nan
    return OwnBounds(*bounds)


def check_rules(runs: Sequence[RecordedRun]) -> bool:
    """Print whether criteria and direct implementation agree, by rule."""
    differing: dict[str, int] = {}
    for run in runs:
        made = rules(run, run.reference_bounds)
        for name, expected in direct_stops(run).items():
            found = stop_of(made[name], run.trials)[0]
            differing[name] = differing.get(name, 0) + (found != expected)
    print(f"1. stops of {len(runs)} runs that differ, recorded bounds: {differing}")
    return not any(differing.values())


def compare_bounds(runs: Sequence[RecordedRun], own: Sequence[OwnBounds]) -> bool:
    """Print how the model's bounds compare with the recorded ones, by group."""
    print("2. own bound / recorded bound       checks  median ratio  median |log ratio|  correlation of logs")
    good = True
    groups = list(dict.fromkeys(map(group_of, runs)))
    for group in [*groups, *dict.fromkeys(f"{r.benchmark} {r.optimizer}" for r in runs if not has_folds(r))]:
        members = [i for i, r in enumerate(runs) if group in (group_of(r), f"{r.benchmark} {r.optimizer}")]
        ours = np.concatenate([own[i].all for i in members])
        theirs = np.concatenate([runs[i].reference_bounds for i in members])
        use = np.isfinite(ours) & np.isfinite(theirs) & (ours > 0) & (theirs > 0)
        logs, log_theirs = np.log(ours[use]), np.log(theirs[use])
        ratio, size = float(np.exp(np.median(logs - log_theirs))), float(np.median(np.abs(logs - log_theirs)))
        correlation = float(np.corrcoef(logs, log_theirs)[0, 1])
        print(f"   {group:<30} {use.sum():>9} {ratio:>13.3f} {size:>19.3f} {correlation:>20.4f}")
        if group in groups:
            good &= (
                RATIO[0] <= ratio <= RATIO[1] and correlation >= CORRELATION and size <= LOG_RATIO.get(group, np.inf)
            )
    return good


def compare_scores(runs: Sequence[RecordedRun], own: Sequence[OwnBounds]) -> bool:
    """Print RTC and RYC of the authors' rules with both bounds, by group."""
    rows = []
    for run, bounds in zip(runs, own, strict=True):
        for source, values in (("own", bounds.all), ("recorded", run.reference_bounds)):
            for name, rule in rules(run, values).items():
                if not name.startswith("conv"):
                    score = scored(run, name, stop_of(rule, run.trials)[0], "", True)
                    group = group_of(run) if has_folds(run) else f"{run.benchmark} {run.optimizer}"
                    rows.append({"group": group, "rule": name, "source": source, "run": id(run), **score})
    table = pd.DataFrame(rows).pivot(index=["group", "rule", "run"], columns="source", values=["rtc", "ryc"])
    good = True
    print("3. scores with both bounds      rule        RTC own  recorded  mean |difference|    RYC own  recorded")
    for (group, rule), part in table.groupby(level=["group", "rule"], sort=False):
        difference = float((part["rtc"]["own"] - part["rtc"]["recorded"]).abs().mean())
        means = part.mean()
        print(
            f"   {group:<26} {rule:<12} {means['rtc', 'own']:>8.3f} {means['rtc', 'recorded']:>9.3f} "
            f"{difference:>18.4f} {means['ryc', 'own']:>+10.4f} {means['ryc', 'recorded']:>+9.4f}"
        )
        if group == "RF":
            good &= abs(means["ryc", "own"] - means["ryc", "recorded"]) <= RYC
    overall = (table["rtc"]["own"] - table["rtc"]["recorded"]).abs().groupby(level="group").mean()
    print(f"   mean |difference| of RTC by group: {overall.round(4).to_dict()}, all {overall.mean():.4f}")
    return good and float(overall.mean()) <= RTC


def compare_default(runs: Sequence[RecordedRun], own: Sequence[OwnBounds]) -> bool:
    """Print the trade-off of the default next to the authors' 0.5, for runs with fold losses."""
    rows = []
    for run, bounds in zip(runs, own, strict=True):
        recorded = run.reference_bounds
        for source, values, trusted in (("own bound", *bounds), ("recorded bound", recorded, recorded)):
            given = RecordedBounds(values)
            candidates = {
                "default": CVRegretBound(run.space, bounds=RecordedBounds(trusted)),
                "0.5": CVRegretBound(run.space, HALF, variant="reference-code", bounds=given),
                "0.21": CVRegretBound(run.space, variant="reference-code", bounds=given),
            }
            for name, rule in candidates.items():
                score = scored(run, name, stop_of(rule, run.trials)[0], "", True)
                rows.append({"group": run.optimizer, "source": source, **score})
    means = pd.DataFrame(rows).groupby(["group", "source", "criterion"], sort=False)[["rtc", "ryc", "rtc_time"]].mean()
    print("4. the default of cv-regret-bound next to the authors' rules")
    print(means.round(4).to_string())
    good = True
    for group in dict.fromkeys(run.optimizer for run in runs):
        ours, theirs = means.loc[(group, "own bound", "default")], means.loc[(group, "recorded bound", "0.5")]
        good &= bool(ours["ryc"] >= theirs["ryc"] and ours["rtc"] >= theirs["rtc"] - 0.02)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+", help="tables of recorded runs")
    parser.add_argument("--seeds", type=int, help="number of seeds to use, from 0 on")
    parser.add_argument("--rules", action="store_true", help="only the first check, which needs no model")
    options = parser.parse_args()
    runs = [run for path in options.runs for run in read_runs(path) if run.reference_bounds is not None]
    if options.seeds is not None:
        runs = [run for run in runs if run.seed < options.seeds]
    results = {"rules": check_rules(runs)}
    if not options.rules:
        own = [own_bounds(run) for run in tqdm(runs, unit="run", disable=None)]
        folded = [i for i, run in enumerate(runs) if has_folds(run)]
        results["bounds"] = compare_bounds(runs, own)
        results["scores"] = compare_scores(runs, own)
        if folded:
            results["default"] = compare_default([runs[i] for i in folded], [own[i] for i in folded])
    print("within the limits:", ", ".join(f"{name} {'yes' if good else 'NO'}" for name, good in results.items()))
    return 0 if all(results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
