"""A surrogate from a frame of recorded evaluations, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpo_core.errors import InvalidOption
from hpo_core.factories import check_options
from hpo_core.space import Space
from tabular.frames.roles import roles_of
from tabular.surrogates.problem import SurrogateProblem
from tabular.surrogates.rows.records import records_of
from tabular.surrogates.surrogate import TrainedSurrogate
from tabular.surrogates.training import MIN_CORRELATION, train_surrogate

if TYPE_CHECKING:
    import pandas
    from ConfigSpace import ConfigurationSpace


def surrogate_from_frame(
    frame: pandas.DataFrame,
    *,
    loss: str,
    cost: str | None = None,
    budget: str | None = None,
    config: Sequence[str] | None = None,
    repetition: str | None = None,
    name: str = "frame",
    space: Space | ConfigurationSpace | None = None,
    failed: str = "refuse",
    min_correlation: float = MIN_CORRELATION,
    resumable: bool = True,
    seed: int = 0,
    provenance: Mapping[str, Any] | None = None,
) -> TrainedSurrogate:
    """Surrogate of recorded evaluations, a row each.

    Parameters
    ----------
    frame
        A row per evaluation. Rows with the same configuration and budget are repetitions.
    loss
        Column of losses, which are minimised.
    cost
        Column of seconds, of the whole training up to the row's budget; without it an evaluation at the full budget
        counts as 1 second.
    budget
        Column of budgets; the largest is the full one.
    config
        Columns of hyperparameters, or patterns such as `hp_*`; without it, all columns without another role. An empty
        cell is a hyperparameter that is switched off.
    repetition
        Column that tells repetitions apart; it is only kept out of the configuration.
    name
        Of the benchmark.
    space
        Of the hyperparameters, with its conditions; inferred from the rows if None.
    failed
        What to do about rows without a finite loss: "refuse" them, or let each count as the "worst" recorded loss.
    min_correlation
        The least rank correlation with held-out losses; `WeakSurrogate` is raised below it.
    resumable
        Whether a larger budget continues a training, as epochs do; subsets of the training set do not.
    seed
        Of the folds and fits.
    provenance
        Origin of the numbers.
    """
    import pandas

    if not isinstance(frame, pandas.DataFrame):
        raise InvalidOption(f"recorded evaluations are a DataFrame with a row each, got {type(frame).__name__}")
    given = None if space is None else space if isinstance(space, Space) else Space(space)
    named = given.names if config is None and given is not None else config
    roles = roles_of(frame, loss=loss, cost=cost, budget=budget, config=named, repetition=repetition)
    return train_surrogate(
        records_of(frame, roles, given, failed),
        name,
        source={"source": "a DataFrame", **(provenance or {})},
        min_correlation=min_correlation,
        resumable=resumable,
        seed=seed,
    )


def problem_from_frame(frame: pandas.DataFrame, **options: Any) -> SurrogateProblem:
    """Problem of the surrogate that `surrogate_from_frame` makes, with the same options."""
    check_options("a surrogate of a frame", surrogate_from_frame, options, positional=1)
    return SurrogateProblem(surrogate_from_frame(frame, **options))
