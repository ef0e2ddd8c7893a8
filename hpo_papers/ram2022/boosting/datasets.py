"""Datasets of two classes for tables 2-4: those of the paper's 40 that can be had without a download, and two others.

Ram et al. (2022), Table 6, has ten OpenML datasets of each size. Many are regression datasets with a target above or
below its mean, as OpenML made them; so are ours. 2dplanes is a simulation (Breiman et al., 1984) and is drawn anew.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

GROUPS: dict[int, tuple[str, ...]] = {  # smallest number of rows to the datasets
    1000: ("kr-vs-kp", "german", "spambase", "abalone"),
    5000: ("mushroom", "compactiv", "cpu-small", "puma32h"),
    10000: ("2dplanes", "magic", "protein"),
}
SUBSTITUTES = ("magic", "protein")  # real, of the size, and not among the paper's
MISSING = (
    "sick, scene, yeast-ml8, fri-c3-1000-25, fri-c4-1000-25, fri-c4-1000-100; bank8FM, bank32nh, delta-aileron, "
    "delta-elevators, kin8nm, puma8NH; BNG(tic-tac-toe), BNG(breast-w), electricity, adult, mammography, webdata-wXa, "
    "pol, aileron, house-16H; all ten of 50,000 to 99,999 rows: vehicle-sensIT, vehicleNorm, KDDCup09 app, churn and "
    "upsell, higgs, numerai28.6, Run-or-walk-info, APSFailure, kick"
)
CPU_SMALL = [
    *("lread", "lwrite", "scall", "sread", "swrite", "fork"),
    *("exec", "rchar", "wchar", "runqsz", "freemem", "freeswap"),
]
N_PLANES = 40768


@lru_cache(maxsize=4)
def binary(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Features and classes 0 and 1 of a dataset; a regression's target is above its mean or not."""
    from fcnet_data.datasets import open_dataset

    if name == "2dplanes":
        return two_planes(np.random.default_rng(0))
    dataset = open_dataset("compactiv" if name == "cpu-small" else name)
    columns = [dataset.feature_names.index(column) for column in CPU_SMALL] if name == "cpu-small" else slice(None)
    target = dataset.target
    if dataset.task == "regression":
        target = target > target.mean()
    return dataset.features[:, columns], target.astype(int)


def two_planes(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Breiman's two planes: the first of ten features says which three others the target is a plane of, with noise."""
    x = rng.integers(-1, 2, (N_PLANES, 10)).astype(float)
    x[:, 0] = rng.choice([-1.0, 1.0], N_PLANES)
    upper = 3 + 3 * x[:, 1] + 2 * x[:, 2] + x[:, 3]
    lower = -3 + 3 * x[:, 4] + 2 * x[:, 5] + x[:, 6]
    target = np.where(x[:, 0] > 0, upper, lower) + rng.normal(0, np.sqrt(2), N_PLANES)
    return x, (target > target.mean()).astype(int)
