"""Fig. 6: the optimal decision for each epoch and average error."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core import Benchmark
from hpo_leaderboard.stopping.pictures import panels_of, tidy
from hpo_models.curves.optimal_stopping import CONTINUE, K1_FIRST, STOP_BETTER, STOP_WORSE
from hpo_models.curves.stopping_variants import VARIANTS
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BENCHMARK, N, N0, N_PATHS = "lr-optdigits", 50, 8, 100_000
COLOURS, UNREACHED = ("#ffffff", "#f2c14e", "#d1495b"), "#3d3d3d"  # continue, stop as worse, stop as better
WORDS = ("continue (d0)", "stop, worse (d1)", "stop, better (d2)", "no simulated curve")


def rule_of(variant: str, seed: int) -> dict[str, list]:
    """A rule for a random configuration, with its decisions as lists; empty where none could be made."""
    b = Benchmark(BENCHMARK)
    rng = np.random.default_rng(seed)
    curve = b.curve(b.space.sample(rng), seed=seed)
    incumbent = float(0.85 * curve[N0 - 1])
    start = time.process_time()
    rule = VARIANTS[variant].rule(curve[:N0], N, incumbent, K1_FIRST, N_PATHS, rng)
    seconds = time.process_time() - start
    if rule is None:
        return {"decisions": [], "axis": [], "seconds": [seconds], "curve": curve.tolist(), "incumbent": [incumbent]}
    return {
        "decisions": rule.decisions.tolist(),
        "axis": [rule.low, rule.width, rule.skipped],
        "seconds": [seconds],
        "curve": curve.tolist(),
        "incumbent": [incumbent],
    }


def compute(work: Work) -> Numbers:
    """Rules of both variants for several configurations."""
    return {name: work.parts(rule_of, [(name, seed) for seed in range(work.runs)]) for name in VARIANTS}


def in_order(decisions: np.ndarray) -> float:
    """Share of the epochs with both in which every interval of d1 lies above every interval of d2."""
    both = [row for row in decisions if (row == STOP_WORSE).any() and (row == STOP_BETTER).any()]
    right = [np.flatnonzero(row == STOP_WORSE).min() > np.flatnonzero(row == STOP_BETTER).max() for row in both]
    return float(np.mean(right)) if right else 1.0


def continued(decisions: np.ndarray) -> tuple[float, float]:
    """Share of d0 among the reached intervals in the first and in the last quarter of the epochs, without the last."""
    shares = [float(np.mean(row[row >= 0] == CONTINUE)) for row in decisions[:-1]]
    quarter = max(1, len(shares) // 4)
    return float(np.mean(shares[:quarter])), float(np.mean(shares[-quarter:]))


def _summary(numbers: Numbers, name: str) -> tuple[float, float, float, float]:
    rules = [np.array(each["decisions"]) for each in numbers[name] if each["decisions"]]
    first, last = np.mean([continued(rule) for rule in rules], axis=0)
    seconds = float(np.mean([each["seconds"][0] for each in numbers[name]]))
    return float(np.mean([in_order(rule) for rule in rules])), float(first), float(last), seconds


def compare(numbers: Numbers) -> Sequence[Comparison]:
    rows = []
    for name in VARIANTS:
        order, first, last, seconds = _summary(numbers, name)
        rows += [
            Comparison(f"{name}: share of epochs in which d1 lies above d2", None, order, digits=3),
            Comparison(f"{name}: share of d0 in the first quarter of the epochs", None, first, digits=3),
            Comparison(f"{name}: share of d0 in the last quarter of the epochs", None, last, digits=3),
            Comparison(f"{name}: seconds for a rule of 100,000 curves", None, seconds, digits=2),
        ]
    return rows


def verdict(numbers: Numbers) -> Verdict:
    order, first, last, _ = _summary(numbers, "reference-code")
    decisions = [np.array(each["decisions"]) for each in numbers["reference-code"] if each["decisions"]]
    kinds = {kind for rule in decisions for kind in np.unique(rule).tolist()}
    return claims_hold(
        {
            "all three decisions and unreached intervals occur": {-1, CONTINUE, STOP_WORSE, STOP_BETTER} <= kinds,
            f"d1 lies above d2 in {order:.0%} of the epochs (at least 95 %)": order >= 0.95,
            f"there is less to wait for in the end: d0 has {first:.0%} of the intervals at first, {last:.0%} in the "
            "last quarter": last < first,
        }
    )


def draw(numbers: Numbers) -> Figure:
    from matplotlib.patches import Patch

    figure, panels = panels_of(len(VARIANTS), 6.0, 4.4)
    for axes, name in zip(panels, VARIANTS, strict=True):
        one = next(each for each in numbers[name] if each["decisions"])
        draw_rule(axes, one)
        tidy(axes, f"{name}: incumbent's error {one['incumbent'][0]:.3f}", "epoch", "average error")
        axes.grid(False)
    colours = (*COLOURS, UNREACHED)
    patches = [Patch(facecolor=c, edgecolor="black", label=word) for c, word in zip(colours, WORDS, strict=True)]
    figure.legend(handles=patches, loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return figure


def draw_rule(axes: Axes, one: Mapping[str, list[Any]]) -> None:
    """A rule, and the recorded curve's average."""
    from matplotlib.colors import ListedColormap

    decisions, curve = np.array(one["decisions"]), np.array(one["curve"])
    low, width, skipped = one["axis"]
    reached = np.flatnonzero((decisions >= 0).any(axis=0))
    bottom, top = max(reached.min() - 3, 0), min(reached.max() + 4, decisions.shape[1])
    extent = (N0 + 0.5, N + 0.5, low + width * bottom, low + width * top)
    shown = np.ma.masked_less(decisions.T[bottom:top], 0)
    colours = ListedColormap(COLOURS).with_extremes(bad=UNREACHED)
    axes.imshow(shown, cmap=colours, vmin=0, vmax=2, origin="lower", aspect="auto", extent=extent, interpolation="none")
    skipped = int(skipped)
    averages = np.cumsum(curve[skipped:]) / np.arange(1, len(curve) - skipped + 1)
    axes.plot(np.arange(N0 + 1, N + 1), averages[N0 - skipped :], color="black", linewidth=2.0)


ITEM = Item(
    title="Fig. 6: optimal decision rules",
    printed="A map of decisions over epochs and average errors: stop as worse (d1) above, stop as better (d2) below, "
    "continue (d0) between them, and regions that no simulated curve reaches.",
    protocol="One instance of the stopping problem, not named; 100,000 curves, 100 values of the average error.",
    departures="Rules for the first errors of random configurations of lr-optdigits, an incumbent of 0.85 times the "
    "eighth error, K1 = 100; by the authors' code, and ours beside it.",
    rule="reproduced if the code's rules have all three decisions and unreached intervals; d1 lies above d2 in at "
    "least 95 % of the epochs that have both; and d0 has a smaller share of the reached intervals in the last quarter "
    "of the epochs than in the first",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
    cost=lambda runs: 0.6 * runs,
    runs=10,
    least=2,
)
