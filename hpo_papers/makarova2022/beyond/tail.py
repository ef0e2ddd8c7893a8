"""Where own and recorded bounds are far apart: noise, and the mode that a search for hyperparameters ends in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from baselines.stopping.parts.regret import bound_ends
from baselines.stopping.parts.surrogate import CandidateSet, FittedPart, Surrogate, better_part
from hpo_leaderboard.stopping.pictures import COLOURS, legend_below, panels_of, tidy
from hpo_models.acquisition import confidence_factor
from hpo_models.gp.fit import Fitting, modes
from hpo_models.gp.kernels import kernel_named
from hpo_models.gp.priors import MAP
from hpo_models.gp.regression import condition, standardise
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.bounds.spaces import features_of, reader_of
from hpo_papers.makarova2022.record.contents import ALGORITHMS, record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHECKS = list(range(20, 200, 30))
RUN = 5  # the first ones were looked at before the rule was written
N_STARTS = 5  # as the authors
NOISY = 1e-4  # variance, of losses with variance 1


def modes_along(name: str, dataset: int, checks: list[int]) -> list[list[float]]:
    """Rows (noise, log ratio of one start, of the best of five, the nearest to 0 of five) of one run."""
    reader, runs = reader_of("cv", name), record().runs["cv", name]
    x, losses = features_of("cv", name, dataset, RUN), runs["loss"][dataset, RUN]
    candidates, d = CandidateSet(reader, "random", 0), len(reader.space)
    rows = []
    for t in checks:
        best = better_part(losses[:t], 0.5, 20)
        if losses[best].max() <= losses[best].min():
            continue
        part = FittedPart(x[best], *standardise(losses[best]))
        kernel = kernel_named("matern52")
        first = modes(part.x, part.y, reader.groups, kernel, MAP, Fitting(n_starts=1))
        five = modes(
            part.x, part.y, reader.groups, kernel, MAP, Fitting(n_starts=N_STARTS), rng=np.random.default_rng(0)
        )
        logs = []
        for mode in (*first, *five):
            process = condition(part.x, part.y, mode.hyperparameters, groups=reader.groups)
            ends = bound_ends(Surrogate([process], part, part), candidates, confidence_factor(d, len(best)))
            logs.append(float(np.log(max(ends.upper - ends.lower, 1e-12) / runs["bound"][dataset, RUN, t])))
        rows.append([five[0].hyperparameters.noise, logs[0], logs[1], min(map(abs, logs[1:]))])
    return rows


def compute(work: Work) -> Numbers:
    """90 % quantiles of the absolute log ratios, by algorithm."""
    datasets, checks = work.thinned(range(19), 2), work.thinned(CHECKS, 2)
    found = {}
    for name in ALGORITHMS:
        parts = work.parts(modes_along, [(name, dataset, checks) for dataset in datasets])
        noise, first, five, nearest = np.array([row for part in parts for row in part]).T
        noisy, sizes = noise > NOISY, np.abs(five)
        found[name] = {
            "first start": float(np.quantile(np.abs(first), 0.9)),
            "best of five starts": float(np.quantile(sizes, 0.9)),
            "nearest of five modes": float(np.quantile(nearest, 0.9)),
            "with noise": float(np.quantile(sizes[noisy], 0.9)) if noisy.any() else None,
            "without noise": float(np.quantile(sizes[~noisy], 0.9)) if not noisy.all() else None,
            "share without noise": float((~noisy).mean()),
            "sizes": np.sort(sizes).tolist(),
        }
    return found


def verdict(numbers: Numbers) -> Verdict:
    claims = {
        f"{name}: the mode nearest to the recorded bound at least halves the tail, from {of['first start']:.2f} to "
        f"{of['nearest of five modes']:.2f}": of["nearest of five modes"] <= of["first start"] / 2
        for name, of in numbers.items()
    }
    forest = numbers["RF"]
    if forest["with noise"] is not None and forest["without noise"] is not None:
        claims[
            f"RF: without noise it is at least twice as long as with noise, {forest['without noise']:.2f} and "
            f"{forest['with noise']:.2f}"
        ] = forest["without noise"] >= 2 * forest["with noise"]
    return claims_hold(claims)


def compare(numbers: Numbers) -> Sequence[Comparison]:
    return [
        Comparison(f"{name}, {key}: 90 % quantile of |log|", None, value)
        for name, of in numbers.items()
        for key, value in of.items()
        if key not in ("sizes", "share without noise") and value is not None
    ]


def draw(numbers: Numbers) -> Figure:
    """Distribution of the absolute log ratios."""
    figure, (axes,) = panels_of(1, 8.0, 3.4)
    for (name, of), colour in zip(numbers.items(), COLOURS, strict=False):
        shares = np.arange(1, len(of["sizes"]) + 1) / len(of["sizes"])
        axes.step(np.maximum(of["sizes"], 1e-4), shares, where="post", color=colour, label=name)
    axes.set_xscale("log")
    tidy(axes, "best of five starts", "|log(own / recorded bound)|", "share of the checks")
    legend_below(figure, axes)
    return figure


ITEM = Item(
    title="Where own and recorded bounds are far apart",
    printed="Nothing; the recorded bounds are the authors'.",
    protocol="The sixth recorded run of each of 19 datasets and both algorithms, six checks; the process at the "
    "mode that one search ends in, and those of five. The tail is the 90 % quantile of the absolute "
    "logarithm of own over recorded bound.",
    departures="Not in the paper. The explanation was found on the first run of each dataset, before the rule was "
    "written; the sixth had not been looked at.",
    rule="reproduced (our explanation holds) if, for both algorithms, the mode nearest to the recorded bound"
    " at least halves the tail of one search, and for random forests the tail is at least twice as long"
    " where the most probable noise is 0; else differs",
    notes="On the first run of each dataset, where the explanation was found, all three claims hold (RF .37 "
    "to .12, without noise .46, with noise .08; XGB .23 to .09). On the sixth, which had not been "
    "looked at, that for XGBoost holds, and those for random forests do not: their tail is shorter "
    "there (.21), and neither the mode nor the noise accounts for most of it. So the mode explains the "
    "tail for XGBoost; for random forests it does on some runs, and the rest is open.",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
    cost=lambda runs: 20.0,
    switch="own-bounds",
)
