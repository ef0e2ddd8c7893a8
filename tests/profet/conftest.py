"""A small model for all tests of the package: eight relatives of a bowl in two hyperparameters, with costs."""

import numpy as np
import pytest

from hpo_core import Float, Int, Space
from hpo_models.networks.adam import WarmStart
from profet import MetaData, Settings, train_on
from profet.sources import sobol

SMALL = Settings(
    n_latent=3, units=(20, 20), n_chains=2, n_draws=20, n_cost_draws=10, n_between=10, n_burn_in=300,
    batch_size=64, warm_start=WarmStart(1500),
)  # fmt: skip
SPACE = Space([Float("rate", 1e-4, 1e-1, log=True), Int("units", 8, 128, log=True)], name="bowl")


def bowl_data(n=80):
    """Errors in [0, 1] of a bowl whose centre and depth differ from task to task; seconds that grow with units."""
    unit = sobol(2, n, 0)
    codes = SPACE.from_unit(unit)
    unit = SPACE.to_unit(codes)
    centres = np.random.default_rng(5).uniform(0.2, 0.8, (8, 2))
    depths = np.linspace(0.05, 0.25, 8)
    losses = depths[:, None] + np.minimum(1.5 * np.sum((unit - centres[:, None]) ** 2, axis=2), 0.7)
    costs = np.linspace(1.0, 8.0, 8)[:, None] * (1.0 + 10.0 * unit[:, 1])
    source = {"source": "closed form"}
    return MetaData("bowl", SPACE, codes, losses, costs, tuple("abcdefgh"), (0.0, 1.0), provenance=source)


@pytest.fixture(scope="session")
def data():
    return bowl_data()


@pytest.fixture(scope="session")
def small():
    """Settings under which a model is trained in seconds."""
    return SMALL


@pytest.fixture(scope="session")
def model(data):
    return train_on(data, 0, settings=SMALL)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache directory."""
    monkeypatch.setenv("HPO_FOUNDRY_CACHE", str(tmp_path))
    return tmp_path
