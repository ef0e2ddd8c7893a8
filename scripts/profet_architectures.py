"""Which network should the fast mode of PROFET have? Layers and the prior's gain, at equal CPU time, on five splits.

    python scripts/profet_architectures.py                            svm, about ten minutes of one core
    python scripts/profet_architectures.py --family xgboost --gains 2,4

A tenth of the configurations is held out, as in `check_profet.py` but in other splits, and the errors of single weight
vectors, which sampled tasks have, are compared. Each network gets the CPU time of the fast mode: the numbers of its
steps (Adam's, of burn-in and between kept draws) are scaled by the ratio of the times of a step, which are measured
first; the actual time is printed. A line has means over the splits, and the standard error over the splits of the
difference to the fast mode.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy loads: the times are those of one core

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hpo_models.networks.chains import Progress
from profet.diagnostics import Scores, held_out_configurations
from profet.learning.training import train_on
from profet.meta_data import MetaData
from profet.settings import FAST, Settings
from profet.sources import meta_data

SPLITS = range(200, 205)
UNITS = ((50, 50), (100, 100), (32, 32, 32), (50, 50, 50), (100, 100, 100), (200, 200, 200), (50, 50, 50, 50))
N_PROBED = 300  # steps


def candidates(gains: list[float]) -> Iterator[Settings]:
    """The fast mode first, then the others."""
    yield FAST
    for units in UNITS:
        for gain in gains:
            settings = replace(FAST, units=units, prior=FAST.prior._replace(gain=gain))
            if settings != FAST:
                yield settings


def step_time(data: MetaData, settings: Settings) -> float:
    """CPU seconds of a step, without the encoder."""
    short = replace(settings, n_burn_in=N_PROBED, n_draws=settings.n_chains, n_between=1, warm_start=None)
    begun: list[float] = []

    def begin(n_steps: int) -> Progress:
        begun.append(time.process_time())  # the encoder is done
        return lambda n: None

    train_on(data, 0, settings=short, progress=begin)
    return (time.process_time() - begun[0]) / N_PROBED


def scaled(settings: Settings, factor: float) -> Settings:
    """The settings with `factor` times the steps."""
    warm = settings.warm_start
    return replace(
        settings,
        n_burn_in=round(factor * settings.n_burn_in),
        n_between=max(1, round(factor * settings.n_between)),
        warm_start=warm and warm._replace(n_steps=round(factor * warm.n_steps)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", default="svm", help="svm (default), fcnet, xgboost...")
    parser.add_argument("--gains", default="4", help="standard deviations of the prior, joined by commas")
    options = parser.parse_args()
    data = replace(meta_data(options.family), costs=None)
    small = data.only(np.arange(min(100, len(data.codes))))
    print(
        f"{'layers':<16}{'gain':>5}{'steps':>7}{'CPU s':>7}{'RMSE / std':>11}{'single':>8}  +- "
        f"{'Spearman':>13}{'log-lik.':>10}",
        flush=True,
    )
    reference, of_fast = step_time(small, FAST), np.empty(0)
    for settings in candidates([float(g) for g in options.gains.split(",")]):
        factor = reference / step_time(small, settings) if settings != FAST else 1.0
        start = time.process_time()
        found = [held_out_configurations(data, split, settings=scaled(settings, factor)) for split in SPLITS]
        took = (time.process_time() - start) / len(SPLITS)
        singles = np.array([s.single_share for s in found])
        of_fast = of_fast if len(of_fast) else singles
        error = np.std(singles - of_fast, ddof=1) / len(SPLITS) ** 0.5
        print(line(settings, factor, took, found, float(error)), flush=True)


def line(settings: Settings, factor: float, took: float, found: list[Scores], error: float) -> str:
    """Line of the table: one network's means over the splits.

    Parameters
    ----------
    settings, factor
        Settings of the network, and the factor of its steps.
    took
        CPU seconds of a split.
    found
        Scores of the splits.
    error
        Standard error of the difference to the fast mode.

    Returns
    -------
    str
        The line.
    """
    layers = " x ".join(str(n) for n in settings.units)
    mean = {name: float(np.mean([getattr(s, name) for s in found])) for name in Scores._fields}
    return (
        f"{layers:<16}{settings.prior.gain:>5g}{factor:>7.2f}{took:>7.0f}{mean['share']:>11.3f}"
        f"{mean['single_share']:>8.3f} {error:.3f}{mean['single_spearman']:>12.3f}{mean['log_likelihood']:>10.2f}"
    )


if __name__ == "__main__":
    main()
