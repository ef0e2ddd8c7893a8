"""Quality of a meta-model: errors on new configurations and on new tasks, and the mixing of its chains.

All errors are in units of the loss. A sampled task has the error of a single weight vector; the literature reports the
error of the ensemble, the mean over all weight vectors.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from profet.learning.training import train_on
from profet.meta_data import MetaData
from profet.meta_model import MetaModel
from profet.settings import FAST, Settings

HELD_OUT = 0.1  # share of the configurations, as in the regressions of Klein (2020, section 3.5.2)
N_POSITIONS = 200  # candidates for the latent vector of a task that was left out
N_SINGLE = 50  # weight vectors whose single errors are averaged


class Scores(NamedTuple):
    """Agreement of predictions with measured losses.

    rmse, single_rmse           of the ensemble and of single weight vectors, in units of the loss
    share, single_share         the same over the standard deviation of the losses
    spearman, single_spearman   rank correlation over configurations, mean over tasks; below 1 even for a perfect model
                                if losses are tied, as on the plateaus of an SVM's errors: a smooth function has no ties
    pooled_spearman             of single weight vectors, over configurations and tasks together
    log_likelihood              mean log density per observation, in nats, of the ensemble as a Gaussian, eq. 3.4
    coverage                    share of losses within the central 50 %, 90 % and 99 % of the predictive distribution
    """

    rmse: float
    single_rmse: float
    share: float
    single_share: float
    spearman: float
    single_spearman: float
    pooled_spearman: float
    log_likelihood: float
    coverage: tuple[float, float, float]


LEVELS = (0.5, 0.9, 0.99)


def predict(model: MetaModel, data: MetaData, latent: np.ndarray) -> np.ndarray:
    """(T, M, N B) standardised predictions of every weight vector at the configurations of `data`, at h (T, Q)."""
    x = model.inputs.at_budgets(data.codes, data.budgets)
    x = x.reshape(-1, x.shape[2]).astype(np.float32)
    weights = model.loss.theta[:, :-1]
    return np.array([model.loss.network.output(weights, _joined(x, h * model.encoding.weights)) for h in latent])


def _joined(x: np.ndarray, h: np.ndarray) -> np.ndarray:
    return np.concatenate([x, np.broadcast_to(h.astype(np.float32), (len(x), len(h)))], axis=1)


def score(model: MetaModel, data: MetaData, latent: np.ndarray | None = None) -> Scores:
    """Scores of a model on `data`, whose tasks have latent vectors (T, Q), by default those of the model's tasks."""
    z = predict(model, data, model.encoding.means if latent is None else latent)
    target = model.loss.target
    y = data.losses.reshape(len(data.losses), -1)
    chosen = np.random.default_rng(0).permutation(z.shape[1])[:N_SINGLE]  # of all chains, which are interleaved
    singles = target.restore(z[:, chosen].astype(float))
    ensemble = target.restore(z.astype(float)).mean(axis=1)
    mean = z.mean(axis=1)
    variance = z.var(axis=1) + np.exp(model.loss.theta[:, -1]).mean()
    rmse = float(np.sqrt(np.mean((ensemble - y) ** 2)))
    single = float(np.sqrt(np.mean((singles - y[:, None]) ** 2)))
    return Scores(
        rmse=rmse,
        single_rmse=single,
        share=rmse / float(y.std()),
        single_share=single / float(y.std()),
        spearman=float(np.mean([_spearman(a, b) for a, b in zip(ensemble, y, strict=True)])),
        single_spearman=float(np.mean([_spearman(s, b) for a, b in zip(singles, y, strict=True) for s in a])),
        pooled_spearman=float(np.mean([_spearman(s.ravel(), y.ravel()) for s in np.swapaxes(singles, 0, 1)])),
        log_likelihood=_log_likelihood(model, y, mean, variance),
        coverage=_coverage(target.standardise(y), mean, variance),
    )


def _spearman(a: np.ndarray, b: np.ndarray) -> float:
    from scipy.stats import rankdata

    return float(np.corrcoef(rankdata(a), rankdata(b))[0, 1])


def _log_likelihood(model: MetaModel, y: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> float:
    target = model.loss.target
    z = target.standardise(y)
    density = -0.5 * ((z - mean) ** 2 / variance + np.log(2.0 * np.pi * variance)) - np.log(target.std)
    return float(np.mean(density - np.log(y) if target.log else density))


def _coverage(z: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> tuple[float, float, float]:
    from scipy.special import ndtri

    away = np.abs(z - mean) / np.sqrt(variance)
    shares = [float(np.mean(away <= ndtri(0.5 + level / 2.0))) for level in LEVELS]
    return shares[0], shares[1], shares[2]


def split_configurations(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the configurations to train on, and of a random tenth that is held out."""
    order = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0]).permutation(n)
    n_test = max(5, round(HELD_OUT * n))
    return order[n_test:], order[:n_test]


def held_out_configurations(data: MetaData, seed: int, *, settings: Settings = FAST) -> Scores:
    """Scores on a random tenth of the configurations, of a model (encoder included) trained on the others."""
    train, test = split_configurations(len(data.codes), seed)
    training = np.random.SeedSequence(seed).spawn(2)[1]
    model = train_on(data.only(train), int(training.generate_state(1)[0]), settings=settings)
    return score(model, data.only(test))


def leave_one_task_out(data: MetaData, task: int, seed: int, *, settings: Settings = FAST) -> Scores:
    """Scores on a task of a model that was trained on the other tasks.

    The task's latent vector is the one, of 200 drawn between the other tasks, whose ensemble fits half of its
    configurations best; the scores are those on the other half. They say how well the distribution of tasks
    generalizes.

    Parameters
    ----------
    data
        Meta-data with all tasks.
    task
        Index of the task that is left out.
    seed
        Of the training, of the halves and of the latent vectors.
    settings
        Of the training.

    Returns
    -------
    Scores
        Errors in units of the loss.
    """
    others, seen = data.without(task), np.random.default_rng(seed).permutation(len(data.codes))
    model = train_on(others, seed, settings=settings)
    half = len(seen) // 2
    alone = _only_task(data, task)
    positions = _positions(model, np.random.default_rng([seed, task]))
    z = predict(model, alone.only(seen[:half]), positions).mean(axis=1)
    wanted = model.loss.target.standardise(alone.only(seen[:half]).losses[:1].reshape(1, -1))
    best = positions[np.argmin(np.mean((z - wanted) ** 2, axis=1))]
    return score(model, alone.only(seen[half:]), np.repeat(best[None], len(alone.losses), axis=0))


def _only_task(data: MetaData, task: int) -> MetaData:
    """Meta-data with one task twice, since meta-data need at least two."""
    return replace(data, losses=np.repeat(data.losses[[task]], 2, axis=0), costs=None, tasks=(data.tasks[task],) * 2)


def _positions(model: MetaModel, rng: np.random.Generator) -> np.ndarray:
    """(n, Q) latent vectors of the tasks, and others on lines between two tasks."""
    means = model.encoding.means
    first, second = rng.integers(len(means), size=(2, N_POSITIONS))
    share = rng.random((N_POSITIONS, 1))
    return np.concatenate([means, (1.0 - share) * means[first] + share * means[second]])


def autocorrelation(model: MetaModel, data: MetaData, n_chains: int, n_lags: int = 10) -> np.ndarray:
    """Autocorrelation of the predictions of a chain, averaged over chains, tasks and configurations.

    Parameters
    ----------
    model
        Whose chains are examined.
    data
        Its meta-data; the predictions are those at the first 50 configurations.
    n_chains
        Number of chains that the model was sampled by; their draws are interleaved.
    n_lags
        Number of lags, 1, 2...

    Returns
    -------
    np.ndarray
        (n_lags,) correlations, fewer if the chains are shorter.
    """
    z = predict(model, data.only(np.arange(min(50, len(data.codes)))), model.encoding.means)
    n_draws = z.shape[1] // n_chains
    z = z[:, : n_draws * n_chains].reshape(len(z), n_draws, n_chains, -1)
    z = z - z.mean(axis=1, keepdims=True)
    power = np.mean(z * z)
    lags = range(1, min(n_lags, n_draws - 1) + 1)
    return np.array([np.mean(z[:, lag:] * z[:, : n_draws - lag]) / power for lag in lags])
