"""Multi-task Gaussian process (Swersky et al., 2013): several related functions over the same inputs.

    k((x, t), (x', t')) = k_T(t, t') k_5/2(x, x')                     Klein (2020), eq. 4.3

k_T is any covariance of the T tasks, given by its Cholesky factor L: the product process of `hpo_models.gp.product`
with one-hot basis functions, so every task also has a separate mean. Task 0 is the target task. The prior of L makes
tasks similar until the observations show otherwise: entries that link another task to task 0 are around 1, those that
link the others to each other around 0, and the diagonal entries of the others are small.

Tasks may be budgets of one problem. Their noise has a prior away from 0 (`hpo_models.gp.fabolas`), and the search for L
starts with positive correlations between them: with a single observation of task 0 the density has a second, far lower
peak with negative correlations.

Departures from the papers: Swersky et al. force correlations to be positive. Klein (2020) samples L by MCMC; here it is
the most probable one unless `fit_samples` of the product process is used.
"""

from __future__ import annotations

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_models.gp.fabolas import NOISE
from hpo_models.gp.priors import LogNormal
from hpo_models.gp.product import Points, ProductGP, fit
from hpo_models.gp.product_posterior import ProductPriors


def task_points(x: np.ndarray, tasks: np.ndarray | int, n_tasks: int) -> Points:
    """Inputs (n, d) with one-hot basis functions (n, n_tasks) of their tasks (n,), or of one task for all."""
    each = np.broadcast_to(np.asarray(tasks), (len(x),))
    if each.dtype.kind not in "iu" or (len(each) and not 0 <= each.min() <= each.max() < n_tasks):
        raise InvalidOption(f"tasks must be integers in 0..{n_tasks - 1}, got {np.unique(each).tolist()}")
    return Points(x, np.eye(n_tasks)[each])


def task_priors(n_tasks: int, n_budgets: int = 1) -> ProductPriors:
    """Priors under which every task is linked to task 0; the first `n_budgets` are budgets of one problem."""
    link = np.zeros((n_tasks, n_tasks))
    link[1:, 0] = 1.0
    priors = ProductPriors(rest=LogNormal(-2.0, 1.0), link=link, link_std=0.5)
    return priors if n_budgets == 1 else priors._replace(n_alike=n_budgets, noise=NOISE)


def fit_tasks(
    x: np.ndarray, tasks: np.ndarray, y: np.ndarray, n_tasks: int, groups: np.ndarray, n_budgets: int = 1
) -> ProductGP:
    """The process with the most probable hyperparameters.

    Parameters
    ----------
    x
        (n, d) inputs.
    tasks
        (n,) index of each observation's task; 0 is the target task.
    y
        (n,) observations, standardised task by task, but budgets of one problem together.
    n_tasks
        Number of tasks.
    groups
        (d,) index of each input column's lengthscale.
    n_budgets
        The first `n_budgets` tasks are budgets of one problem.

    Returns
    -------
    ProductGP
        To be predicted at `task_points`.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_models.gp.multi_task import fit_tasks, task_correlations
    >>> x = np.linspace(0.0, 1.0, 10)[:, None]
    >>> tasks = np.arange(10) % 2
    >>> process = fit_tasks(x, tasks, np.sin(5.0 * x[:, 0]), 2, np.zeros(1, dtype=int))
    >>> bool(task_correlations(process)[0, 1] > 0.7)
    True
    """
    return fit(task_points(x, tasks, n_tasks), y, groups, task_priors(n_tasks, n_budgets))


def task_correlations(process: ProductGP) -> np.ndarray:
    """(T, T) prior correlations of the tasks."""
    triangle = process.hyperparameters.triangle
    covariance = triangle @ triangle.T
    stds = np.sqrt(covariance.diagonal())
    return covariance / np.outer(stds, stds)
