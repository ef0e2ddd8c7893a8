"""Fig. 5: sample paths of the Gaussian process over epochs after eight observed errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_core import Benchmark
from hpo_leaderboard.stopping.pictures import panels_of, tidy
from hpo_models.curves.decay_gp import fitted_model, likely_model
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BENCHMARK, N, N0 = "lr-optdigits", 50, 8
MODELS = {"reference-code": likely_model, "ours": fitted_model}
N_PATHS, N_SHOWN = 2000, 25


def paths_of(model: str, seed: int) -> dict[str, list]:
    """A recorded curve, simulated ones, and how many of those fall; the seed picks the configuration."""
    b = Benchmark(BENCHMARK)
    rng = np.random.default_rng(seed)
    curve = b.curve(b.space.sample(rng), seed=seed)
    _, free = MODELS[model](curve[:N0]).simulate(curve[:N0], N, N_PATHS, rng)
    inside = free[:, ((free > 0) & (free < 1)).all(axis=0)]
    low, high = np.quantile(inside[-1], (0.025, 0.975)) if inside.size else (np.nan, np.nan)
    return {
        "curve": curve.tolist(),
        "paths": inside[:, :N_SHOWN].T.tolist(),
        "inside": [inside.shape[1] / N_PATHS],
        "falls": [float(np.mean(inside[-1] <= inside[0])), float(np.mean(np.diff(inside, axis=0) <= 1e-3))],
        "covered": [bool(low <= curve[-1] <= high)],
    }


def compute(work: Work) -> Numbers:
    """Paths of both models for several configurations."""
    return {name: work.parts(paths_of, [(name, seed) for seed in range(work.runs)]) for name in MODELS}


def _means(numbers: Numbers, name: str) -> tuple[float, float, float, float]:
    """Shares of paths that end below their beginning, of steps that do not rise, of paths inside, of ends covered."""
    some = numbers[name]
    return (
        float(np.mean([each["falls"][0] for each in some])),
        float(np.mean([each["falls"][1] for each in some])),
        float(np.mean([each["inside"][0] for each in some])),
        float(np.mean([each["covered"][0] for each in some])),
    )


def compare(numbers: Numbers) -> Sequence[Comparison]:
    words = (
        "paths that end no higher than they begin",
        "steps that rise by no more than 0.001",
        "paths within (0, 1)",
        "recorded ends within 95 % of the paths",
    )
    return [
        Comparison(f"{name}: share of {word}", None, value, digits=3)
        for name in MODELS
        for word, value in zip(words, _means(numbers, name), strict=True)
    ]


def verdict(numbers: Numbers) -> Verdict:
    ends, steps, *_ = _means(numbers, "reference-code")
    return claims_hold(
        {
            f"{ends:.0%} of the paths end no higher than they begin (at least 80 %)": ends >= 0.8,
            f"{steps:.0%} of their steps do not rise by more than 0.001 (at least 90 %)": steps >= 0.9,
        }
    )


def draw(numbers: Numbers) -> Figure:
    figure, panels = panels_of(2, 5.5, 4.2)
    for axes, name in zip(panels, MODELS, strict=True):
        one = numbers[name][0]
        epochs = np.arange(1, N + 1)
        for path in one["paths"]:
            axes.plot(epochs[N0:], path, color="#56b4e9", linewidth=0.7, alpha=0.8)
        axes.plot(epochs, one["curve"], color="black", linewidth=1.8)
        axes.axvline(N0, color="#d55e00", linewidth=1.0, linestyle="--")
        tidy(axes, f"{name}: simulated (blue) and recorded (black)", "epoch", "validation error")
    return figure


ITEM = Item(
    title="Fig. 5: simulated learning curves",
    printed="Sample paths of the Gaussian process with the kernel of eq. 5 after the first errors of a training. They "
    "are said to characterise a monotonic learning curve well.",
    protocol="N0 = 8 observed errors of N = 50 epochs; the curve of the figure is not named.",
    departures="Curves of random configurations of lr-optdigits, 20 of them, 2,000 paths each. alpha and beta as in "
    "the authors' code, and beside it our model with an asymptote.",
    rule="reproduced if, with the code's model, at least 80 % of the simulated paths end no higher than they begin, "
    "and at least 90 % of their steps rise by no more than 0.001",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
    cost=lambda runs: 0.1 * runs,
    runs=20,
)
