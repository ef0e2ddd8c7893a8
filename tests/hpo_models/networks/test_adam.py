"""Adam in place: float32 all through, and the steps of `adam`."""

import numpy as np
import pytest

from hpo_models.networks.adam import WarmStart, adam, adam_in_place


class Bowl:
    """Gradient of |theta|^2 / 2 with a tilt, and what it was asked for."""

    def __init__(self):
        self.kinds = set()

    def __call__(self, theta, rng):
        self.kinds.add(theta.dtype)
        return theta - np.array([0.5, -0.25], dtype=np.float32)


@pytest.mark.parametrize("n_steps", [1, 7, 2000])
def test_in_place_it_makes_the_same_steps_in_float32(n_steps):
    bowl, options = Bowl(), WarmStart(n_steps, 1e-2)
    start = np.array([[3.0, 1.0], [-2.0, 0.0]], dtype=np.float32)
    found = adam_in_place(bowl, start.copy(), np.random.default_rng(0), options)
    assert bowl.kinds == {found.dtype} == {np.dtype(np.float32)}
    np.testing.assert_allclose(found, adam(Bowl(), start, np.random.default_rng(0), options), atol=1e-4)
    if n_steps == 2000:
        np.testing.assert_allclose(found, [[0.5, -0.25]] * 2, atol=0.02)
