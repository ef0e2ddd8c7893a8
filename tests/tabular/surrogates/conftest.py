"""A training that tries one small model only."""

import pytest

from tabular.surrogates import choice
from tabular.surrogates.trees.fitting import Boosting


@pytest.fixture
def quick(monkeypatch):
    """Training with 40 trees of 8 leaves instead of a choice among larger ones."""
    monkeypatch.setattr(choice, "settings_for", lambda records: [Boosting(leaves=8, n_trees=40, rate=0.2)])
    monkeypatch.setattr(choice, "fitting_scales", lambda losses: ["scores"])
