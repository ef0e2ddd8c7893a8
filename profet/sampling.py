"""New tasks from a meta-model (Klein, 2020, section 8.2.3): a position in the latent space and one weight vector.

Task k of seed s is a function of the model file, s and k alone: its random numbers come from `SeedSequence`, whose
values numpy promises never to change, and not from the methods of a generator, whose values may change.
"""

from __future__ import annotations

import numpy as np

from hpo_core.benchmark import check_seed
from hpo_core.errors import InvalidOption, nearest
from profet.meta_model import MetaModel
from profet.task import Task

LATENT_MODES = ("tasks", "between")


def sample(model: MetaModel, n: int, seed: int = 0, *, latent: str = "tasks", noise: bool = False) -> list[Task]:
    """Tasks sampled from a model; those of seed 0 are `profet-NAME/0`, `profet-NAME/1`...

    Parameters
    ----------
    model
        The distribution of tasks.
    n
        Number of tasks.
    seed
        Each seed gives another sequence of tasks.
    latent
        `tasks` draws h from q(h_t) of a random task, as Klein (2020) does; since q is narrow, sampled tasks are then
        close to the original ones. `between` draws h uniformly on the line between such draws of two random tasks.
    noise
        Whether evaluations with a seed are noisy.

    Returns
    -------
    list of Task
        `n` problems, for `hpo_core.Benchmark`.

    Examples
    --------
    >>> import profet
    >>> tasks = profet.sample(profet.open_model("svm"), 3)
    >>> [task.name for task in tasks]
    ['profet-svm/0', 'profet-svm/1', 'profet-svm/2']
    """
    if n < 0:
        raise InvalidOption(f"the number of tasks must be >= 0, got {n}")
    return [sample_task(model, k, seed, latent=latent, noise=noise) for k in range(n)]


def sample_task(model: MetaModel, number: int, seed: int = 0, *, latent: str = "tasks", noise: bool = False) -> Task:
    """The task that `sample` gives at index `number`.

    Parameters
    ----------
    model, seed, latent, noise
        As for `sample`.
    number
        Index of the task in the sequence of `seed`.

    Returns
    -------
    Task
        Named `profet-NAME/NUMBER`, or `profet-NAME/SEED-NUMBER` for another seed than 0.
    """
    if latent not in LATENT_MODES:
        modes = " or ".join(map(repr, LATENT_MODES))
        raise InvalidOption(f"option 'latent' must be {modes}, got {latent!r}{nearest(latent, LATENT_MODES)}")
    n_latent = model.encoding.means.shape[1]
    uniform = _uniform(check_seed(seed), check_seed(number), 5 + 2 * n_latent)
    weights, cost_weights, task, other, share = uniform[:5]
    h = _draw(model, task, uniform[5 : 5 + n_latent])
    if latent == "between":
        h = (1.0 - share) * h + share * _draw(model, other, uniform[5 + n_latent :])
    cost_draw = int(cost_weights * len(model.cost.theta)) if model.cost else 0
    suffix = "" if latent == "tasks" else f",latent={latent}"
    suffix += ",noise" if noise else ""
    name = f"profet-{model.name}/{number}" if seed == 0 else f"profet-{model.name}/{seed}-{number}"
    return Task(model, name + suffix, int(weights * len(model.loss.theta)), cost_draw, h, noise=noise)


def _uniform(seed: int, number: int, n: int) -> np.ndarray:
    """(n,) numbers in (0, 1)."""
    bits = np.random.SeedSequence([seed, number]).generate_state(n, np.uint64)
    return ((bits >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53


def _draw(model: MetaModel, task: float, uniform: np.ndarray) -> np.ndarray:
    """(Q,) draw of h from q of a task, which is chosen by a number in (0, 1)."""
    from scipy.special import ndtri

    t = int(task * len(model.encoding.means))
    return model.encoding.means[t] + np.sqrt(model.encoding.variances[t]) * ndtri(uniform)
