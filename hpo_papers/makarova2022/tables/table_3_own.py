"""Table 3 with the bounds of this package's model in place of the recorded ones, and with our default rule."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.bounds.cv import SECONDS, cv_runs, following_stops, own_bounds
from hpo_papers.makarova2022.record.contents import ALGORITHMS
from hpo_papers.makarova2022.record.methods import averaged, cv_rows, run_scores, stops_of
from hpo_papers.makarova2022.tables.drawing import draw_trade_off
from hpo_papers.makarova2022.tables.printed import TABLE_3, TABLE_3_COLUMNS, beside

METHODS = ("Ours_0.21", "Ours_0.5")
RTC, RYC = 0.03, 0.005  # differences of means that count as none


def compute(work: Work) -> Numbers:
    """Scores with own bounds, and on the same runs with the recorded ones."""
    own = own_bounds(work, work.runs)
    rows, paired, ratios = [], [], {}
    for name in ALGORITHMS:
        runs, bounds = cv_runs(work, name, work.runs), own[name]
        rows += cv_rows(runs, [*METHODS, "Text_0.21", "Text_0.5"], bounds["bound"])
        saved, changed = run_scores(runs, following_stops(runs, bounds["bound"], correlations=bounds["correlation"]))
        rows.append({"method": "our default", "group": name, **averaged("rtc", saved), **averaged("ryc", changed)})
        for method in METHODS:
            ours = run_scores(runs, stops_of(runs, method, bounds["bound"]))
            theirs = run_scores(runs, stops_of(runs, method))
            differences = {
                "rtc": float((ours[0] - theirs[0]).mean()),
                "ryc": float((ours[1] - theirs[1]).mean()),
                "rtc_absolute": float(np.abs(ours[0] - theirs[0]).mean()),
            }
            paired.append({"method": method, "group": name, **differences})
        ratios[name] = log_ratios(bounds["bound"], runs["bound"])
    return {"rows": rows, "paired": paired, "ratios": ratios}


def log_ratios(own: np.ndarray, recorded: np.ndarray) -> dict[str, float]:
    """Median ratio of bounds, median and 90 % quantile of the absolute logarithms, and the number of checks."""
    use = np.isfinite(own) & np.isfinite(recorded) & (own > 0) & (recorded > 0)
    logs = np.log(own[use] / recorded[use])
    middle, tail = np.quantile(np.abs(logs), [0.5, 0.9])
    return {"n": int(use.sum()), "ratio": float(np.exp(np.median(logs))), "median": float(middle), "tail": float(tail)}


def compare(numbers: Numbers) -> Sequence[Comparison]:
    rows = beside(numbers["rows"], TABLE_3, TABLE_3_COLUMNS)
    for name, found in numbers["ratios"].items():
        rows.append(Comparison(f"own / recorded bound, {name}: median ratio", None, found["ratio"]))
        rows.append(Comparison(f"own / recorded bound, {name}: median |log|", None, found["median"]))
        rows.append(Comparison(f"own / recorded bound, {name}: 90 % quantile of |log|", None, found["tail"]))
    for row in numbers["paired"]:
        what = f"{row['method']}, {row['group']}: own less recorded, "
        rows += [Comparison(what + score, None, row[score], digits=4) for score in ("rtc", "ryc", "rtc_absolute")]
    return rows


def verdict(numbers: Numbers) -> Verdict:
    return claims_hold(
        {
            f"{row['method']} on {row['group']}: own bounds change RTC by {row['rtc']:+.3f} (at most {RTC}) and RYC by "
            f"{row['ryc']:+.4f} (at most {RYC})": abs(row["rtc"]) <= RTC and abs(row["ryc"]) <= RYC
            for row in numbers["paired"]
        }
    )


ITEM = Item(
    title="Table 3 with own bounds, and our default",
    printed="RTC and RYC of Ours_0.21 and Ours_0.5, as in Table 3.",
    protocol="As Table 3. The bound of every check is computed by this package's model (variant reference-code),"
    " and the same rules are applied to it.",
    departures="Another implementation of the Gaussian process, one start of the search for hyperparameters in "
    "place of five, other random candidates. Our default beside it: the threshold follows the "
    "incumbent, times 3.5, three checks in a row, from evaluation 28 on, no bound where the model takes"
    " the evaluations for unrelated; with bounds of a search at every check in place of its schedule. With "
    "fewer runs than 10 the paper's means are over all 10; the verdict compares with the recorded bounds "
    "on the same runs.",
    rule=f"reproduced if own bounds change the mean RTC of both rules and algorithms by at most {RTC} and the"
    f" mean RYC by at most {RYC}, against the recorded bounds on the same runs; else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=lambda numbers: draw_trade_off(numbers["rows"], TABLE_3, TABLE_3_COLUMNS),
    cost=lambda runs: SECONDS * runs,
    runs=10,
    switch="own-bounds",
    notes="The verdict is near its limit: with 3, 5 and 6 of the 10 runs own bounds change the RTC of Ours_0.21 on RF "
    "by -.020, -.012 and -.032, so that with 6 of them the item differs. All 10 have not been computed.",
)
