"""Functional ANOVA of a whole table: which hyperparameters, singly and in pairs, the loss depends on.

On a full grid the decomposition of Sobol (1993), used by Hutter et al. (2014) and Klein (2020, section 7.3.1), consists
of means, so nothing is modelled or sampled:

    f(x) = sum over sets S of hyperparameters of f_S(x_S),   f_S = [product over j in S of (1 - E_j)] E_(not S) f
    share of S = Var f_S / Var f

E_j is the mean over the values of hyperparameter j, each with the same weight. The shares of all S add up to 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption
from tabular.table import Table
from tabular.top import final_losses, n_top, top_label

if TYPE_CHECKING:
    import pandas


def variance_shares(values: np.ndarray, max_order: int) -> dict[tuple[int, ...], float]:
    """Share of the variance of `values` that each set of up to `max_order` axes explains, a fraction.

    `values` is the function on its grid, one axis per hyperparameter. The shares of a constant function are 0.
    """
    values = np.asarray(values, dtype=float)
    if values.size == 0 or not np.isfinite(values).all():
        raise InvalidOption("functional ANOVA needs finite values on a whole grid; cap infinite ones first")
    axes = range(values.ndim)
    subsets = [subset for order in range(1, max_order + 1) for subset in combinations(axes, order)]
    centred = values - values.min()
    scale = centred.max()
    if scale == 0:
        return dict.fromkeys(subsets, 0.0)
    centred = centred / scale  # shares do not depend on the scale, and squares of huge losses would overflow
    centred = centred - centred.mean()
    variance = np.mean(centred**2)
    return {subset: float(np.mean(_component(centred, subset) ** 2) / variance) for subset in subsets}


def _component(values: np.ndarray, subset: tuple[int, ...]) -> np.ndarray:
    """f_S on the grid of S, the other axes kept with length 1."""
    component = values.mean(axis=tuple(axis for axis in range(values.ndim) if axis not in subset), keepdims=True)
    for axis in subset:
        component = component - component.mean(axis=axis, keepdims=True)
    return component


def cap_at_top(losses: np.ndarray, percent: float) -> np.ndarray:
    """Losses of which those outside the best `percent` % are replaced by the lowest of them; unchanged for 100.

    An infinite loss counts as the largest finite one.
    """
    finite = losses[np.isfinite(losses)]
    if not finite.size:
        raise InvalidOption("functional ANOVA needs at least one finite loss")
    ordered = np.sort(losses)
    cap = ordered[min(n_top(len(losses), percent), len(losses) - 1)]
    return np.minimum(losses, min(cap, finite.max()))


def importance(table: Table, percents: Sequence[float] = (100, 10, 1), metric: str | None = None) -> pandas.DataFrame:
    """Share of the variance that every hyperparameter and every pair explains, a row each, for all and for the best.

    A column per entry of `percents`, and a last row for interactions of three and more (Klein, 2020, section 7.3.1 and
    figures 7.3, D.6 to D.9). The metric is the mean over repetitions at the full budget of `test_loss` if the table has
    it, else of `loss`.

    Departure from the paper: Klein (2020) uses only the best configurations and does not say how. They are not a
    product grid, and the decomposition is defined on such a grid only. Here the losses outside the best are capped
    (`cap_at_top`), like the cutoffs of the fANOVA tool, and the grid stays complete. The shares then explain which
    configurations are among the best, and how good they are. The drawback: a configuration in the top 1 % needs good
    values of many hyperparameters at once, so most of the variance goes to interactions of three and more. Means over
    the top only would rank the hyperparameters differently, because they compare values that come with different values
    of the others.
    """
    import pandas as pd

    table.require_grid("functional ANOVA")
    losses = final_losses(table, metric)
    names, shape = table.space.names, tuple(table.space.grid.sizes.tolist())
    columns: dict[str, Mapping[tuple[int, ...], float]] = {
        top_label(percent): variance_shares(cap_at_top(losses, percent).reshape(shape), 2) for percent in percents
    }
    subsets = [(i,) for i in range(len(names))] + list(combinations(range(len(names)), 2))
    frame = pd.DataFrame(
        {label: [shares[subset] for subset in subsets] for label, shares in columns.items()},
        index=pd.Index([" x ".join(names[i] for i in subset) for subset in subsets], name="effect"),
    )
    frame.insert(0, "order", [len(subset) for subset in subsets])
    rest = [max(0.0, 1.0 - frame[label].sum()) if frame[label].any() else 0.0 for label in columns]
    frame.loc["three and more"] = [3, *rest]
    return frame.astype({"order": int})
