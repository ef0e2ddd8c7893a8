"""Statistics of a table, from every number in it: distributions, rank correlations, neighbours of the best.

After sections 7.2 and 7.3 and appendix D of Klein (2020), Efficient Bayesian Hyperparameter Optimization. Each function
takes a table and returns a DataFrame; importance of hyperparameters is in `tabular.fanova`, pictures are in
`tabular.pictures`.

Klein (2020) ranks configurations by test error. These functions use the column `test_loss` if the table has one, else
`loss`, the validation loss (`tabular.top`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption, NotRecorded
from tabular.fanova import importance
from tabular.problem import ways_out
from tabular.table import MEAN, Table
from tabular.top import final_losses, final_metric, top_indices, top_label, worst_for_missing

if TYPE_CHECKING:
    import pandas

DECILES = (0.0, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 1.0)


def ecdf(values: np.ndarray) -> pandas.DataFrame:
    """Empirical distribution function: each distinct value, and the fraction of all that are not above it.

    F(v) = #{i : v_i <= v} / n. NaN, for values that were not recorded, counts in n only: F then ends below 1.
    """
    import pandas as pd

    values = np.asarray(values, dtype=float)
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    return pd.DataFrame({"value": distinct, "fraction": np.cumsum(counts) / max(len(values), 1)})


def metric_ecdfs(table: Table, budget: float | None = None) -> pandas.DataFrame:
    """ECDF over the configurations of every column at a budget, rows (metric, value, fraction), in the column's unit.

    Each configuration has its mean over the repetitions (section 7.2, figures 7.1 and D.1 to D.3). At less than the
    full budget, columns that were recorded at the full budget only are left out.
    """
    final = budget is None or budget == table.budgets[-1]
    known = [name for name in _ordered(table) if final or table.columns[name].ndim != 2 or name == "cost"]
    return _stacked("metric", {name: ecdf(table.mean(name, budget)) for name in known})


def _ordered(table: Table) -> list[str]:
    """Names of the columns: losses first, then cost, size and the rest by name; without partly recorded ones."""
    first = ["loss", "test_loss", "train_loss", "cost", "n_params"]
    partly = {name.removeprefix(MEAN) for name in table.columns if name.startswith(MEAN)}
    known = [name for name in table.columns if name not in partly and not name.startswith(MEAN)]
    return [name for name in first if name in known] + sorted(name for name in known if name not in first)


def _stacked(key: str, frames: dict[str, pandas.DataFrame] | dict[float, pandas.DataFrame]) -> pandas.DataFrame:
    """One frame below the other, each marked in the column `key`."""
    import pandas as pd

    return pd.concat(frames, names=[key]).reset_index(level=0).reset_index(drop=True)


def noise(table: Table, budget: float | None = None, metric: str = "loss") -> np.ndarray:
    """(config,) standard deviation between the repetitions at a budget, in units of the metric.

    s = sqrt(sum (y_r - mean)^2 / (n - 1)) over the n recorded repetitions, ddof = 1; NaN with fewer than two, infinite
    if a repetition is. Klein (2020, section 7.2) calls this the noise and does not give the divisor. With n, values
    would be sqrt(3 / 4) of these for four repetitions, and not comparable between numbers of repetitions.
    """
    values = table.values(metric, budget)
    count = (~np.isnan(values)).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):  # x / 0 with too few repetitions, inf - inf: replaced below
        above = values - np.fmin.reduce(values, axis=1)[:, None]  # so that equal repetitions have a noise of exactly 0
        mean = np.nansum(above, axis=1) / count
        std = np.sqrt(np.nansum((above - mean[:, None]) ** 2, axis=1) / (count - 1))
    infinite = np.isinf(values).any(axis=1)
    return np.where(count > 1, np.where(infinite, np.inf, std), np.nan)


def noise_ecdfs(table: Table, budgets: Sequence[float] | None = None) -> pandas.DataFrame:
    """ECDF of the noise of the loss, rows (budget, value, fraction), at up to five budgets by default.

    Figures 7.1 (lower right) and D.4. Configurations with one repetition are left out. The default budgets are those
    nearest to five evenly spaced ones on a logarithmic scale, including the first and the last.
    """
    chosen = _evenly_spaced(table.budgets) if budgets is None else budgets
    stds = {budget: noise(table, budget) for budget in chosen}
    return _stacked("budget", {budget: ecdf(std[~np.isnan(std)]) for budget, std in stds.items()})


def _evenly_spaced(budgets: Sequence[float], n: int = 5) -> list[float]:
    known = np.asarray(budgets, dtype=float)
    nearest = {int(np.argmin(np.abs(known - wanted))) for wanted in np.geomspace(known[0], known[-1], n)}
    return [budgets[i] for i in sorted(nearest)]


def quantiles(ecdfs: pandas.DataFrame, fractions: Sequence[float] = DECILES) -> pandas.DataFrame:
    """Lowest values at which ECDFs reach the fractions, a row per fraction and a column per metric or budget.

    The inverse of the results of `metric_ecdfs` and `noise_ecdfs`: F^-1(p) = min {v : F(v) >= p}, a value that occurs
    in the table; NaN where F stays below p.
    """
    import pandas as pd

    key = ecdfs.columns[0]
    wanted = np.asarray(fractions, dtype=float)
    columns = {}
    for name, group in ecdfs.groupby(key, sort=False):
        indices = np.searchsorted(group["fraction"].to_numpy(), wanted - 1e-12)  # 0.07 * 100 is above 7 in floats
        columns[name] = np.append(group["value"].to_numpy(), np.nan)[indices]
    frame = pd.DataFrame(columns, index=pd.Index(wanted, name="fraction"))
    return frame.rename_axis(columns=key)


def budget_correlation(table: Table, percents: Sequence[float] = (100, 50, 20, 10, 1)) -> pandas.DataFrame:
    """Spearman correlation of the loss at every budget, a row each, with that at the full one, for all and the best.

    Section 7.2, figures 7.2 and D.5. A column per entry of `percents`; the best are the best at the full budget (by
    test loss if the table has it, as in Klein, 2020). NaN if all values of one of the two rankings are tied.
    """
    import pandas as pd

    if len(table.budgets) < 2:
        raise NotRecorded(
            f"correlation between budgets needs several of them; the numbers of {table.name!r} were recorded after "
            f"{table.budgets[-1]} {table.budget_unit} only. {ways_out(table)}"
        )
    losses = np.stack([worst_for_missing(table.mean("loss", budget)) for budget in table.budgets])
    ranking = final_losses(table)
    frame = pd.DataFrame(index=pd.Index(list(table.budgets), name="budget"))
    for percent in percents:
        top = losses[:, top_indices(ranking, percent)]
        frame[top_label(percent)] = spearman(top, top[-1])
    return frame


def spearman(rows: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """(m,) Spearman correlation of each row of an (m, n) array with an (n,) array; NaN if one of them is constant.

    The correlation of the ranks; equal values share the mean of their ranks.
    """
    from scipy.stats import rankdata

    mean = (len(reference) + 1) / 2
    ranks = np.stack([rankdata(row) for row in rows]) - mean  # row by row: half the time of rankdata(rows, axis=1)
    against = rankdata(reference) - mean
    norms = np.sqrt((ranks**2).sum(axis=1) * (against**2).sum())
    return np.divide(ranks @ against, norms, out=np.full(len(norms), np.nan), where=norms > 0)


def neighbourhood(table: Table, metric: str | None = None) -> pandas.DataFrame:
    """Each change of one hyperparameter of the best configuration, with the new loss and its relative change, sorted.

    relative_change = (y_new - y*) / y*, y* the loss of the best (section 7.3.2, tables 7.3 and D.1 to D.4). A
    categorical changes to each other value, an ordinal to the value below and above. Losses are means over the
    repetitions. If y* is 0, every increase is infinite.
    """
    import pandas as pd

    table.require_grid("the neighbourhood of the best configuration")
    metric = metric or final_metric(table)
    losses = final_losses(table, metric)
    grid = table.space.grid
    best = int(np.argmin(losses))
    incumbent = grid.config(best)
    rows = []
    for flipped in table.space.neighbours(incumbent):
        name = next(name for name in flipped if flipped[name] != incumbent[name])
        rows.append((name, incumbent[name], flipped[name], losses[grid.index(flipped)]))
    frame = pd.DataFrame(rows, columns=["hyperparameter", "old", "new", metric], dtype=object)  # 8 stays an integer
    frame[metric] = frame[metric].astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        frame["relative_change"] = (frame[metric].to_numpy() - losses[best]) / losses[best]
    return frame.sort_values(metric, kind="stable", ignore_index=True)


def table_correlation(
    tables: Sequence[Table], percents: Sequence[float] = (100, 10, 1), metric: str | None = None
) -> pandas.DataFrame:
    """Spearman correlation of the losses in tables over one space, rows (share, table) and a column per table.

    Section 7.3.3 and figure 7.4, which does not say whose best configurations are meant. Here they are those of the
    row's table: do good configurations there keep their rank in the column's table? So the matrix is symmetric for
    `all` only. The metric is `test_loss` if every table has it, else `loss`; means over the repetitions at the full
    budget.
    """
    import pandas as pd

    names = [table.name for table in tables]
    if len(set(names)) < max(len(names), 2) or any(table.space != tables[0].space for table in tables):
        raise InvalidOption(f"rank correlation needs two or more different tables over one space, got {names}")
    metrics = {metric or final_metric(table) for table in tables}
    common = metrics.pop() if len(metrics) == 1 else "loss"
    losses = np.stack([final_losses(table, common) for table in tables])
    rows = {}
    for percent in percents:
        for i, name in enumerate(names):
            top = losses[:, top_indices(losses[i], percent)]
            rows[top_label(percent), name] = spearman(top, top[i])
    index = pd.MultiIndex.from_tuples(list(rows), names=["share", "table"])
    return pd.DataFrame(list(rows.values()), index=index, columns=names)


def left_out(table: Table) -> str:
    """What `all_statistics` lacks for a table of listed configurations, in words; "" if nothing."""
    if table.space.listed is None:
        return ""
    return (
        "importance (functional ANOVA) and the neighbourhood of the best configuration are left out: they need every "
        f"combination of values, and {table.name} has {len(table.space.listed):,} listed configurations"
    )


def all_statistics(
    table: Table, others: Sequence[Table] = (), fractions: Sequence[float] = DECILES
) -> dict[str, pandas.DataFrame]:
    """Every statistic of a table by its name, the distributions as quantiles.

    Some need what a table may not have: `noise` repetitions, `importance` and `neighbourhood` every combination of
    values, `budget_correlation` several budgets, and `table_correlation` the `others`.
    """
    frames = {"metrics": quantiles(metric_ecdfs(table), fractions)}
    if table.n_repetitions > 1:
        frames["noise"] = quantiles(noise_ecdfs(table), fractions)
    if table.space.listed is None:
        frames |= {"importance": importance(table), "neighbourhood": neighbourhood(table)}
    if len(table.budgets) > 1:
        frames["budget_correlation"] = budget_correlation(table)
    if others:
        frames["table_correlation"] = table_correlation([table, *others])
    return frames
