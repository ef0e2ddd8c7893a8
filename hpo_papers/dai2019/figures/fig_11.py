"""Fig. 11: returns over an episode, discounted and not, of a swimmer of our own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_leaderboard.stopping.pictures import panels_of, tidy
from hpo_papers.dai2019.runs.competitors import on_substitute
from hpo_papers.dai2019.swimmer.policies import SPACE, by_epoch, episode_rewards
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict
from hpo_papers.frame.work import Work

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N, GAMMAS = 50, (1.0, 0.9)


def returns_of(seed: int) -> list[list[float]]:
    """Scaled returns after each epoch of a random policy, for each discount."""
    config = SPACE.sample(np.random.default_rng(seed))
    steps = episode_rewards(tuple(float(config[name]) for name in SPACE.names), seed)
    return [(1.0 - by_epoch(steps, N, gamma)[0]).tolist() for gamma in GAMMAS]


def compute(work: Work) -> Numbers:
    """Returns of several policies."""
    return {"curves": work.parts(returns_of, [(seed,) for seed in range(work.runs)])}


def shares_at_half(numbers: Numbers) -> list[float]:
    """Mean share of the final return that is reached after half of the epochs, for each discount."""
    curves = np.array(numbers["curves"])
    moved = curves[curves[:, :, -1].min(axis=1) > 0]
    if not len(moved):
        return [float("nan")] * len(GAMMAS)
    return (moved[:, :, N // 2 - 1] / moved[:, :, -1]).mean(axis=0).tolist()


def compare(numbers: Numbers) -> Sequence[Comparison]:
    return [
        Comparison(f"gamma = {gamma:g}: share of the return after half of the epochs", None, share)
        for gamma, share in zip(GAMMAS, shares_at_half(numbers), strict=True)
    ]


def verdict(numbers: Numbers) -> Verdict:
    plain, discounted = shares_at_half(numbers)
    return on_substitute(
        {
            f"discounted returns level off: {discounted:.0%} after half of the epochs (at least 80 %)": discounted
            >= 0.8,
            f"others do not: {plain:.0%} (at most 65 %)": plain <= 0.65,
        }
    )


def draw(numbers: Numbers) -> Figure:
    figure, panels = panels_of(2, 5.0, 3.8)
    for k, (axes, gamma) in enumerate(zip(panels, GAMMAS, strict=True)):
        for curves in numbers["curves"][:20]:
            axes.plot(np.arange(1, N + 1), curves[k], linewidth=1.0, alpha=0.8)
        tidy(axes, f"gamma = {gamma:g}", "epoch of 20 steps", "return so far, scaled")
    return figure


ITEM = Item(
    title="Fig. 11: discounted returns resemble learning curves",
    printed="Example curves only: undiscounted returns grow to the end of an episode, discounted ones (gamma = 0.9) "
    "level off as learning curves do.",
    protocol="Swimmer-v2, returns over the steps of an episode; the policies are not named.",
    departures="A substitute: the swimmer of figs 3 and 12, random policies, those that move forward at all.",
    rule="always substitute, with the claims that hold and those that do not: on average over policies a discounted "
    "return has at least 80 % of its final value after half of the epochs, an undiscounted one at most 65 %",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
    cost=lambda runs: 0.12 * runs,
    runs=40,
    notes="Undiscounted returns have more than half of their final value after half of the epochs because many random "
    "policies of this swimmer come to rest early; those that swim on have curves that are straight.",
    least=3,
)
