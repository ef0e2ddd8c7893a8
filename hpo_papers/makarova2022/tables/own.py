"""What Tables 4 and 5 have with the bounds of this package's model: scores, and the change against recorded bounds."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.bounds.tables import DEFAULT, authors_bounds, default_bounds
from hpo_papers.makarova2022.record import rules
from hpo_papers.makarova2022.record.contents import record
from hpo_papers.makarova2022.record.methods import averaged, run_scores, stops_of, table_rows
from hpo_papers.makarova2022.tables.drawing import draw_trade_off
from hpo_papers.makarova2022.tables.printed import Printed, beside

THRESHOLDS = (1e-4, 1e-3, 1e-2)
METHODS = tuple(f"Ours_{threshold:g}" for threshold in THRESHOLDS)
RTC, RYC = 0.05, 0.03  # differences of means over the runs on one dataset that count as none


def own_scores(work: Work, study: str) -> Numbers:
    """Scores of BORE's first runs with own bounds and with our default, and their change against recorded bounds."""
    runs = record().runs[study, "bore"].subset(work.runs)
    own, default = authors_bounds(work, study, "bore"), default_bounds(work, study, "bore")
    rows = table_rows(runs, METHODS, own)
    for threshold in THRESHOLDS:
        scores = run_scores(runs, rules.bound_stops(default, threshold, DEFAULT.warm_up))
        rows += [
            {"method": f"default_{threshold:g}", "group": dataset, **averaged("rtc", saved), **averaged("ryc", changed)}
            for dataset, saved, changed in zip(runs.datasets, *scores, strict=True)
        ]
    paired = []
    for method in METHODS:
        ours, theirs = (run_scores(runs, stops_of(runs, method, bounds)) for bounds in (own, None))
        for i, dataset in enumerate(runs.datasets):
            change = {
                score: averaged(score, a[i] - b[i]) for score, a, b in zip(("rtc", "ryc"), ours, theirs, strict=True)
            }
            paired.append({"method": method, "group": dataset, **change["rtc"], **change["ryc"]})
    return {"rows": rows, "paired": paired}


def comparisons(numbers: Numbers, printed: Printed, columns: Sequence[str]) -> list[Comparison]:
    """Scores beside the printed ones, then the changes."""
    rows = beside(numbers["rows"], printed, columns)
    for row in numbers["paired"]:
        what = f"{row['method']}, {row['group']}: own less recorded bounds, "
        rows += [
            Comparison(what + score.upper(), None, row[score], row[f"{score}_low"], row[f"{score}_high"])
            for score in ("rtc", "ryc")
        ]
    return rows


def little_changed(numbers: Numbers) -> Verdict:
    """Reproduced if no mean changes by more than `RTC` and `RYC`."""
    return claims_hold(
        {
            f"{row['method']} on {row['group']}: own bounds change RTC by {row['rtc']:+.3f} (at most {RTC}) and RYC by "
            f"{row['ryc']:+.4f} (at most {RYC})": abs(row["rtc"]) <= RTC and abs(row["ryc"]) <= RYC
            for row in numbers["paired"]
        }
    )


RULE = (
    f"reproduced if own bounds change the mean RTC of each threshold and dataset by at most {RTC} and the mean RYC by"
    f" at most {RYC}, against the recorded bounds on the same runs; else differs"
)
DEPARTURES = (
    "Another implementation of the Gaussian process, one start of the search for hyperparameters in place of five,"
    " other random candidates. The first 10 of the 50 runs: the paper's means are over all 50, the verdict compares"
    " with the recorded bounds on the same runs. Beside it our default at the same thresholds: a search for"
    " hyperparameters when the trials have grown by a twentieth, no bound where the model takes the evaluations for"
    f" unrelated, checks from evaluation {DEFAULT.warm_up} on."
)


def item_of(name: str, study: str, printed: Printed, columns: Sequence[str], seconds: float, notes: str) -> Item:
    """The table of a study with own bounds; `seconds` is the CPU time of one run on each dataset."""
    return Item(
        title=f"{name} with own bounds, and our default",
        printed=f"RTC and RYC of Ours at 1e-4, 1e-3 and 1e-2, as in {name}.",
        protocol=f"As {name}: recorded runs of BORE. The bound of every check is computed by this package's model"
        " (variant reference-code), and the same rule is applied to it.",
        departures=DEPARTURES,
        rule=RULE,
        compute=lambda work: own_scores(work, study),
        verdict=little_changed,
        compare=lambda numbers: comparisons(numbers, printed, columns),
        draw=lambda numbers: draw_trade_off(numbers["rows"], printed, columns),
        cost=lambda runs: seconds * runs,
        runs=10,
        notes=notes,
        switch="own-tables",
    )
