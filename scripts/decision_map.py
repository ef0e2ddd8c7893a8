"""Picture of an optimal stopping rule (Dai et al., 2019, figure 6): which average error means stop, and when.

A configuration of a table with learning curves is trained for some epochs, its curve is continued by simulation, and
the rule is drawn over the simulated curves (grey) with the recorded curve (black).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from hpo_core import Benchmark
from hpo_models.curves.decay_gp import fitted_model
from hpo_models.curves.optimal_stopping import solve

COLOURS = ("#ffffff", "#f2c14e", "#d1495b")  # continue, stop as worse, stop as better


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", default="mini-concrete", help="a table with learning curves")
    parser.add_argument("--seed", type=int, default=0, help="picks the configuration and the simulated curves")
    parser.add_argument("--epochs", type=int, default=50, help="N (default 50, as in the paper)")
    parser.add_argument("--initial", type=int, default=8, help="N0, epochs before the first decision (default 8)")
    parser.add_argument("--quantile", type=float, default=0.1, help="of the final losses that is the incumbent's")
    parser.add_argument("--out", type=Path, default=Path("decision_map.png"))
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    b = Benchmark(options.benchmark)
    curve = b.problem.curve(b.space.sample(rng), seed=options.seed)[: options.epochs]
    losses, _ = b.objective_batch(b.space.encode(b.space.sample(rng, 500)), budget=options.epochs)
    incumbent = float(np.quantile(losses, options.quantile))
    known = curve[: options.initial]
    start = time.process_time()
    observed, free = fitted_model(known).simulate(known, options.epochs, 100_000, rng)
    rule = solve(known, observed, free[-1], incumbent)
    print(f"100,000 curves x {options.epochs} epochs solved in {time.process_time() - start:.2f} s of processor time")
    draw(rule, known, curve, observed[:, :40], incumbent, options.out)
    print(f"wrote {options.out}")


def draw(rule, known, curve, observed, incumbent, path) -> None:
    """Write the picture of a rule, the curve and some simulated ones.

    Parameters
    ----------
    rule
        The decision rule.
    known, curve
        Losses before the first decision, and all recorded losses.
    observed
        (epochs, paths) simulated losses.
    incumbent
        Loss of the incumbent.
    path
        Of the picture.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    figure = Figure((8, 5), layout="constrained")
    axes = figure.subplots()
    n_epochs, n_intervals = rule.decisions.shape
    first, last = rule.first_epoch - 0.5, rule.first_epoch + n_epochs - 0.5
    extent = (first, last, rule.low, rule.low + rule.width * n_intervals)
    shown = np.ma.masked_less(rule.decisions.T, 0)
    colours = ListedColormap(COLOURS).with_extremes(bad="#3d3d3d")
    axes.imshow(shown, cmap=colours, vmin=0, vmax=2, origin="lower", aspect="auto", extent=extent, interpolation="none")
    epochs = np.arange(rule.first_epoch, rule.first_epoch + n_epochs)
    averages = (known.sum() + np.cumsum(observed, axis=0)) / epochs[:, None]
    axes.plot(epochs, averages, color="#7a7a7a", linewidth=0.6, alpha=0.7)
    axes.plot(epochs, np.cumsum(curve)[rule.first_epoch - 1 :] / epochs, color="black", linewidth=2.2)
    axes.set(xlabel="epoch", ylabel="average error so far", title=f"incumbent's error {incumbent:.3g}")
    words = ("continue (d0)", "stop, worse than the incumbent (d1)", "stop, better (d2)", "no simulated curve")
    legend = zip((*COLOURS, "#3d3d3d"), words, strict=True)
    patches = [Patch(facecolor=colour, edgecolor="black", label=word) for colour, word in legend]
    axes.legend(handles=patches, loc="upper right", framealpha=0.95)
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main()
