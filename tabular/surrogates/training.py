"""From records to a surrogate: choice of the model, its error on held-out configurations, fits to all rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_core.errors import InvalidOption
from tabular.surrogates.choice import N_FOLDS, Candidate, ModelChoice, fit_candidate, n_fits
from tabular.surrogates.errors import WeakSurrogate
from tabular.surrogates.held_out import COST, TrainingRows, held_out_quality
from tabular.surrogates.noise import measure_noise, noise_words
from tabular.surrogates.optimum import search_optimum
from tabular.surrogates.problem import SurrogateProblem
from tabular.surrogates.quality import Quality
from tabular.surrogates.rows.conditions import describe
from tabular.surrogates.rows.records import Records
from tabular.surrogates.surrogate import KnownOptimum, TrainedSurrogate
from tabular.surrogates.trees.fitting import ensemble_of

MIN_CORRELATION = 0.8
MANY_BUDGETS = 64
LADDER = 3.0  # ratio of two successive budgets, where too many were recorded to list them
PAPERS = "Eggensperger et al. (2015); Klein (2020), appendix C"


def train_surrogate(
    records: Records,
    name: str,
    *,
    source: Mapping[str, Any],
    min_correlation: float = MIN_CORRELATION,
    resumable: bool = True,
    seed: int = 0,
) -> TrainedSurrogate:
    """Surrogate of recorded evaluations.

    Parameters
    ----------
    records
        The evaluations.
    name
        Of the benchmark.
    source
        Where the rows come from, for the provenance; at least under the key "source".
    min_correlation
        The least rank correlation with held-out losses at the full budget; `WeakSurrogate` is raised below it.
    resumable
        Whether a larger budget continues a training.
    seed
        Of folds, fits and search; equal records and seeds give equal surrogates.
    """
    if not -1 <= min_correlation <= 1:
        raise InvalidOption(f"min_correlation must be in [-1, 1], got {min_correlation!r}")
    data = TrainingRows(records, seed)
    with _progress(n_fits(records) + N_FOLDS) as step:
        choice = ModelChoice(records, data.inputs, seed, step)
        quality = held_out_quality(data, choice, step)
    if not quality.spearman >= min_correlation:
        raise WeakSurrogate(_refusal(quality, min_correlation))
    fitted = _fitted(data, choice, quality, name, resumable)
    stated = replace(fitted, provenance={**source, **fitted.provenance})
    return _with_optimum(stated, records.codes, seed)


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    from tqdm import tqdm

    with tqdm(total=total, desc="fitting", unit="fit", disable=None, leave=False) as bar:
        yield lambda: bar.update()


def _refusal(quality: Quality, least: float) -> str:
    low, high = min(quality.spearman_folds), max(quality.spearman_folds)
    accepting = math.floor(100 * quality.spearman) / 100
    return (
        f"held-out rank correlation must be at least {least:g}, got {quality.spearman:.3f} ({low:.3f} to {high:.3f} "
        f"over {N_FOLDS} folds) from {quality.n_full} configurations: comparisons on such a surrogate say little about "
        "the real task. More configurations help, and so do columns that were left out. To accept it all the same, say "
        f"--min-correlation {accepting} (min_correlation={accepting})"
    )


def _fitted(data: TrainingRows, choice: ModelChoice, quality: Quality, name: str, resumable: bool) -> TrainedSurrogate:
    """Surrogate with the best candidate over all folds, fitted to all rows; not searched yet."""
    records, everything = data.records, np.ones(len(data.records.losses), dtype=bool)
    candidate = choice.best()
    model, scale = fit_candidate(candidate, records, data.inputs, everything, data.seed)
    cost_model = data.cost_model(everything)
    noise = measure_noise(records, data.inputs, scale, choice.folds, data.seed)
    return TrainedSurrogate(
        name=name,
        space=records.space,
        budgets=_ladder(records),
        bins=data.bins,
        loss=ensemble_of(model),
        scale=scale,
        bounds=(float(records.row_losses.min()), float(records.row_losses.max())),
        cost=None if cost_model is None else ensemble_of(cost_model),
        noise=None if noise is None else noise.log_variance,
        resumable=resumable,
        quality=quality,
        optimum=None,
        provenance={**_provenance(records, candidate, data.seed), "noise": noise_words(records, noise)},
    )


def _with_optimum(surrogate: TrainedSurrogate, recorded: np.ndarray, seed: int) -> TrainedSurrogate:
    """The surrogate with the lowest loss that a search of it finds, from recorded codes on."""
    problem = SurrogateProblem(surrogate)
    full = surrogate.budgets[-1]
    found = search_optimum(
        lambda codes: problem.evaluate_batch(codes, full, None)[0], surrogate.space, surrogate.bins, recorded, seed
    )
    (config,) = surrogate.space.decode(found.codes[None])
    how = f"lowest of {found.n_evaluations:,} evaluations of the surrogate by a search; a lower one may exist"
    return replace(surrogate, optimum=KnownOptimum(found.loss, config, how))


def _provenance(records: Records, candidate: Candidate, seed: int) -> dict[str, Any]:
    import sklearn

    roles, space = records.roles, records.space
    conditions = {"conditions": [describe(condition) for condition in space.conditions]} if space.conditional else {}
    failed = f"; {records.n_failed} failed rows count as the worst recorded loss" if records.n_failed else ""
    return {
        "papers": PAPERS,
        "rows": f"{len(records.row_losses):,} of {records.n_configs:,} configurations",
        "loss": f"column {roles.loss!r}{failed}",
        "cost": _cost_words(records),
        **({} if roles.budget is None else {"budget": f"column {roles.budget!r}"}),
        **conditions,
        "model": f"{candidate.setting}, on the scale {candidate.scale!r} of the loss",
        "fitted by": f"scikit-learn {sklearn.__version__}, seed {seed}",
    }


def _cost_words(records: Records) -> str:
    if records.costs is not None:
        return f"column {records.roles.cost!r}, in seconds: gradient boosting of its logarithm, {COST.n_trees} trees"
    share = "" if records.budgets is None else ", in proportion to the budget"
    return f"not recorded: one nominal second for an evaluation at the full budget{share}"


def _ladder(records: Records) -> Sequence[float]:
    """The recorded budgets; all integers of a range as such; of too many a ladder down from the largest."""
    found = np.array([records.full_budget]) if records.budgets is None else np.unique(records.budgets)
    whole = bool((found == np.rint(found)).all())
    if whole and len(found) > 1 and len(found) == found[-1] - found[0] + 1:
        return range(int(found[0]), int(found[-1]) + 1)
    if len(found) > MANY_BUDGETS:
        n = int(np.log(found[-1] / found[0]) / np.log(LADDER) + 1e-9)
        found = found[-1] / LADDER ** np.arange(n, -1, -1)
        whole = False
    return tuple(int(b) if whole else float(b) for b in found.tolist())
