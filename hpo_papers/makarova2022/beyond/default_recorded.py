"""Our kind of rule against the authors' 0.5, chosen by leaving datasets out, on the recorded bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpo_leaderboard.stopping.pictures import COLOURS, legend_below, panels_of, tidy
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.beyond.choosing import candidates, fixed, left_out, words
from hpo_papers.makarova2022.bounds.cv import DEFAULT
from hpo_papers.makarova2022.record.contents import ALGORITHMS, record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EQUAL = 0.01  # of RTC


def compute(work: Work) -> Numbers:
    """Outcome of the rules chosen without each dataset, and of today's default."""
    runs = [record().runs["cv", name] for name in ALGORITHMS]
    found = candidates(runs, [own["bound"] for own in runs], [None, None])
    return {"left out": left_out(found), "default": fixed(found, DEFAULT)}


def better(outcome: Mapping[str, Any]) -> bool:
    """Whether RYC is higher, with an interval above 0, at no lower RTC."""
    return outcome["ryc_difference"][1] > 0.0 and outcome["rtc_difference"][0] >= -EQUAL


def verdict(numbers: Numbers) -> Verdict:
    said = "; ".join(f"{name}, less the authors' 0.5: {words(outcome)}" for name, outcome in numbers.items())
    return Verdict("reproduced" if better(numbers["left out"]) else "differs", said)


def compare(numbers: Numbers) -> Sequence[Comparison]:
    rows = []
    for name, outcome in numbers.items():
        for score in ("rtc", "ryc"):
            for i, algorithm in enumerate(ALGORITHMS):
                what = f"{name}, {algorithm}: {score.upper()} (printed: the authors' 0.5 on the same runs)"
                rows.append(Comparison(what, outcome[f"{score}_authors"][i], outcome[score][i], digits=4))
            mean, low, high = outcome[f"{score}_difference"]
            rows.append(Comparison(f"{name}: difference of {score.upper()}", None, mean, low, high, digits=4))
    return rows


def draw(numbers: Numbers) -> Figure:
    """RYC against RTC of each rule and of the authors' 0.5."""
    figure, panels = panels_of(len(ALGORITHMS), 4.6, 3.4)
    for i, (axes, algorithm) in enumerate(zip(panels, ALGORITHMS, strict=True)):
        first = next(iter(numbers.values()))
        axes.plot(
            first["rtc_authors"][i], first["ryc_authors"][i], "X", color="black", markersize=9, label="authors' 0.5"
        )
        for (name, outcome), colour in zip(numbers.items(), COLOURS, strict=False):
            axes.plot(outcome["rtc"][i], outcome["ryc"][i], "o", color=colour, markersize=8, label=name)
        axes.margins(0.4)
        tidy(axes, algorithm, "RTC", "RYC")
    legend_below(figure, panels[0])
    return figure


ITEM = Item(
    title="Our default rule, datasets left out: recorded bounds",
    printed="Nothing; beside ours stand the authors' 0.5 with the recorded bounds.",
    protocol="The 380 recorded runs with cross-validation. A rule has a scale (10 values from 1.5 to 6), a first"
    " check (20 to 60) and a number of checks in a row (1 to 10); its threshold follows the incumbent. "
    "For each dataset the rule is chosen on the 18 others: the highest RYC among those whose RTC, over "
    "both algorithms, is not below that of the authors' 0.5.",
    departures="Not in the paper. The default of cv-regret-bound (3.5, 28, 3) had been chosen on nine of these "
    "datasets.",
    rule="reproduced (our claim holds) if the rules chosen without a dataset have a higher RYC on it than "
    "the authors' 0.5, with the 95 % interval over datasets above 0, at an RTC that is at most .01 "
    "lower; else differs",
    notes="The rules that are chosen without a dataset lose .002 less on it than the authors' 0.5 at a saving"
    " that is .008 higher; the interval of the former holds 0, so over 19 datasets nothing can be said."
    " Today's default (3.5, 28, 3) is better in both on these bounds, with an interval above 0 for RYC,"
    " but was chosen on nine of the datasets. The standard deviation of RYC between datasets is as "
    "large as the effect, whatever the rule.",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
    cost=lambda runs: 15.0,
)
