"""Multi-task Gaussian process (Swersky et al., 2013): several related functions over the same inputs.

    k((x, t), (x', t')) = k_T(t, t') k_5/2(x, x')                     thesis, eq. 4.3

k_T is any covariance of the T tasks, held by its Cholesky factor L: the product process of `hpo_models.gp.product` with
one-hot basis functions, so every task has a mean of its own, too. Task 0 is the one that counts. The entries of L that
tie another task to it are believed to lie around 1, those that tie the others to each other around 0, and what a task
has of its own to be small: tasks are alike until the observations say otherwise, where Swersky et al. force
correlations to be positive.

Tasks may be budgets of one problem. Those are believed to have a noise above 0 (`hpo_models.gp.fabolas`), and the
search for L begins with positive correlations between them: with a single observation of task 0 the density has another
peak, far lower, where small budgets are upside down.

The thesis samples L by MCMC; here it is the most probable one unless `fit_samples` of the product process is used.
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
    """Priors under which every task is tied to task 0; the first `n_budgets` are budgets of one problem."""
    link = np.zeros((n_tasks, n_tasks))
    link[1:, 0] = 1.0
    priors = ProductPriors(rest=LogNormal(-2.0, 1.0), link=link, link_spread=0.5)
    return priors if n_budgets == 1 else priors._replace(n_alike=n_budgets, noise=NOISE)


def fit_tasks(
    x: np.ndarray, tasks: np.ndarray, y: np.ndarray, n_tasks: int, groups: np.ndarray, n_budgets: int = 1
) -> ProductGP:
    """The process with the most probable hyperparameters, for observations (n,) standardised task by task.

    The first `n_budgets` tasks are budgets of one problem, standardised together. Predict it at `task_points`.

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
    deviations = np.sqrt(covariance.diagonal())
    return covariance / np.outer(deviations, deviations)
