"""What regret is measured from on each benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption

if TYPE_CHECKING:
    import pandas


def references(trials: pandas.DataFrame, tasks: pandas.DataFrame) -> pandas.DataFrame:
    """Table with a row per benchmark: the loss that has regret zero there, and where that loss comes from.

    basis            "exact": a result counts with its noise-free loss at the full budget, from the known optimum on,
                     or from a lower loss that a trial has: a surrogate's optimum is the best of a search.
                     "noise-free": with that loss too, from the lowest noise-free loss among all trials on, since the
                     optimum is not known.
                     "observed": with the loss the optimizer saw, from the lowest that anyone saw on the benchmark on.
    reference        that loss; NaN where every trial failed
    test_basis       "exact" from the known best test loss on, "observed" from the lowest among all trials on,
                     "unknown" where no trial has a test loss
    test_reference   that test loss, NaN where unknown
    test_share       share of the successful trials whose test loss is recorded

    A basis holds for a whole benchmark: losses are noise-free only if every successful trial has its noise-free loss.
    Only in the absence of that is a noisy value scored; it rewards luck, and losses at all budgets count alike, so
    there the regret of a multi-fidelity run is what it saw, not what its incumbent is worth. On both bases without a
    known optimum adding runs can lower the reference: such regrets compare only within one table, and the order of two
    runs does not depend on it.
    """
    import pandas as pd

    missing = sorted(set(trials["benchmark"].unique()) - set(tasks["benchmark"]))
    if missing:
        raise InvalidOption(
            f"every benchmark of `trials` must have a row in `tasks`, got none for {', '.join(missing)}; "
            "give both tables from the same store"
        )
    good = trials.loc[~trials["failed"].to_numpy(dtype=bool) & np.isfinite(trials["loss"].to_numpy(dtype=float))]
    of = good.groupby("benchmark", observed=True)
    known = tasks.set_index("benchmark").loc[trials["benchmark"].unique(), ["optimum", "test_optimum"]].astype(float)
    lowest = of[["loss", "exact", "test"]].min().reindex(known.index)
    recorded = good[["exact", "test"]].notna().groupby(good["benchmark"], observed=True).mean().reindex(known.index)
    noise_free, optimum_known = recorded["exact"].eq(1.0), known["optimum"].notna()
    tested = recorded["test"].gt(0.0)
    columns = {
        "basis": np.where(noise_free, np.where(optimum_known, "exact", "noise-free"), "observed"),
        "reference": np.fmin(known["optimum"], lowest["exact"]).where(noise_free, lowest["loss"]),
        "test_basis": np.where(tested, np.where(known["test_optimum"].notna(), "exact", "observed"), "unknown"),
        "test_reference": known["test_optimum"].fillna(lowest["test"]).where(tested),
        "test_share": recorded["test"].fillna(0.0),
    }
    return pd.DataFrame(columns, index=known.index).rename_axis("benchmark").reset_index()
