"""What regret is measured from on each benchmark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption

if TYPE_CHECKING:
    import pandas


def references(trials: pandas.DataFrame, tasks: pandas.DataFrame) -> pandas.DataFrame:
    """Table with a row per benchmark: the loss that has regret zero there, and where that loss comes from.

    basis            "exact": a result counts with its noise-free loss at the full budget, from the known optimum on.
                     "observed": with the loss the optimizer saw, from the lowest that anyone saw on the benchmark on.
    reference        that loss, the optimum or the lowest observed one; NaN where every trial failed
    test_basis       "exact" from the known best test loss on, "observed" from the lowest among all trials on,
                     "unknown" where test losses are missing
    test_reference   that test loss, NaN where unknown

    A basis holds for a whole benchmark: it is exact only if the optimum is known and every successful trial has its
    noise-free loss. On the observed basis losses at all budgets count alike, so there the regret of a multi-fidelity
    run is what it saw, not what its incumbent is worth; adding runs can lower the reference, so such regrets compare
    only within one table.
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
    lowest = of[["loss", "test"]].min().reindex(known.index)
    complete = good[["exact", "test"]].notna().groupby(good["benchmark"], observed=True).all().reindex(known.index)
    exact = complete["exact"].eq(True) & known["optimum"].notna()
    tested = complete["test"].eq(True)
    test_reference = known["test_optimum"].fillna(lowest["test"]).where(tested)
    test_basis = np.where(known["test_optimum"].notna(), "exact", "observed")
    columns = {
        "basis": np.where(exact, "exact", "observed"),
        "reference": known["optimum"].where(exact, lowest["loss"]),
        "test_basis": np.where(tested, test_basis, "unknown"),
        "test_reference": test_reference,
    }
    return pd.DataFrame(columns, index=known.index).rename_axis("benchmark").reset_index()
