"""A draw of a Gaussian process as a function: it can be evaluated anywhere, again and again (Wilson et al., 2020).

    phi    (m, F) random Fourier features whose products approximate the kernel (Rahimi and Recht, 2007)
    w      (F,) standard normal weights, so that g(x) = sqrt(scale) phi(x) w is a draw from the prior
    e      (n,) noise of the observations

    f(x) = mean + g(x) + k(x, X) B^-1 (y - mean - g(X) - e)                                       Matheron's rule

The second part is exact. The approximation of the prior shows away from the observations only, and falls with the root
of F. `GP.sample` is exact, and takes time in the third power of the number of inputs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_core.single_thread import single_threaded
from hpo_models.gp.kernels import kernel_named, squared_distances
from hpo_models.gp.regression import GP

N_FREQUENCIES = 128  # each gives a sine and a cosine
CHUNK = 256  # inputs at a time: what lies between stays in the cache
DEGREES = {"matern52": 5.0, "rbf": np.inf}  # of freedom of the spectral density, Student's t: twice the smoothness

Draw = Callable[[np.ndarray], np.ndarray]


@single_threaded
def drawn_function(process: GP, rng: np.random.Generator, n_frequencies: int = N_FREQUENCIES) -> Draw:
    """Function of inputs (m, d) whose values (m,) are those of one draw from the posterior.

    Parameters
    ----------
    process
        With the kernel `matern52` or `rbf`.
    rng
        Source of randomness; the function itself has none.
    n_frequencies
        Half the number of features F.

    Returns
    -------
    callable
        The draw, without the noise of observations.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_models.gp.pathwise import drawn_function
    >>> from hpo_models.gp.regression import fit
    >>> x = np.linspace(0.0, 1.0, 8)[:, None]
    >>> draw = drawn_function(fit(x, np.sin(6.0 * x[:, 0])), np.random.default_rng(0))
    >>> bool(np.abs(draw(x) - np.sin(6.0 * x[:, 0])).max() < 0.05)
    True
    """
    if process.kernel not in DEGREES:
        raise InvalidOption(f"features are known for the kernels {', '.join(DEGREES)}, got {process.kernel!r}")
    h, n = process.hyperparameters, len(process.y)
    lengthscales = h.lengthscales[process.groups]
    frequencies = _frequencies(rng, process.x.shape[1], n_frequencies, DEGREES[process.kernel])
    weights = np.sqrt(h.scale / n_frequencies) * rng.standard_normal(2 * n_frequencies)
    known = process.x / lengthscales
    noise = np.sqrt(h.noise) * rng.standard_normal(n)
    missing = process.y - process.mean - _features(known, frequencies) @ weights - noise
    update = process.inverse.T @ (process.inverse @ missing)
    kernel = kernel_named(process.kernel)

    @single_threaded
    def draw(x: np.ndarray) -> np.ndarray:
        values = np.empty(len(x))
        for start in range(0, len(x), CHUNK):
            scaled = x[start : start + CHUNK] / lengthscales
            prior = _features(scaled, frequencies) @ weights
            values[start : start + CHUNK] = prior + kernel(squared_distances(scaled, known))[0] @ update
        return process.mean + values

    return draw


def _frequencies(rng: np.random.Generator, d: int, n: int, degrees: float) -> np.ndarray:
    """(d, n) draws of the spectral density of a kernel with lengthscales 1."""
    normal = rng.standard_normal((d, n))
    return normal if np.isinf(degrees) else normal / np.sqrt(rng.chisquare(degrees, n) / degrees)


def _features(scaled: np.ndarray, frequencies: np.ndarray) -> np.ndarray:
    """(m, 2 n) cosines and sines; the products of two rows are n times the kernel, on average."""
    angles = scaled @ frequencies
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
