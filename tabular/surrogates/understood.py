"""What was made of the columns of recorded evaluations, in words; and columns that look like mistakes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hpo_core.space.hyperparameters import Categorical
from tabular.surrogates.quality import spearman
from tabular.surrogates.rows.conditions import describe
from tabular.surrogates.rows.records import Records

GIVEAWAY = 0.99  # rank correlation with the loss from which on a column is likely to be a result


def understood(records: Records) -> Iterator[str]:
    """Lines about the space, its conditions, and the other columns."""
    roles = records.roles
    width = max(map(len, records.space.names))
    for h in records.space:
        yield f"{h.name:<{width}}  {h.kind} {h.rule}{', log scale' if getattr(h, 'log', False) else ''}"
    for condition in records.space.conditions:
        yield f"condition: {describe(condition)}"
    yield f"loss: {roles.loss}" + (f", {records.n_failed} failed rows count as the worst" if records.n_failed else "")
    yield f"cost: {roles.cost or '-'}; budget: {roles.budget or '-'}; not used: {', '.join(_unused(records)) or '-'}"
    n_repeated = len(records.row_losses) - len(records.losses)
    yield f"{len(records.row_losses):,} rows, {records.n_configs:,} configurations, {n_repeated:,} rows are repetitions"
    for name, correlation in giveaways(records):
        yield (
            f"note: {name} orders the configurations as the loss does (rank correlation {correlation:.3f}); if it was "
            "measured with the loss, leave it out of --config"
        )


def _unused(records: Records) -> tuple[str, ...]:
    roles = records.roles
    repetition = () if roles.repetition is None else (roles.repetition,)
    return (*repetition, *roles.info, *roles.left_out)


def giveaways(records: Records) -> Iterator[tuple[str, float]]:
    """Numeric hyperparameters whose rank correlation with the loss is nearly 1 or -1, with that correlation."""
    for j, h in enumerate(records.space):
        codes = records.codes[:, j]
        if isinstance(h, Categorical) or np.isnan(codes).any():
            continue
        correlation = spearman(codes[records.full], records.losses[records.full])
        if abs(correlation) >= GIVEAWAY:
            yield h.name, correlation
