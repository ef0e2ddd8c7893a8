"""A training that tries one small model only."""

import pytest
from recorded_rows import small_models


@pytest.fixture
def quick():
    """Training with 40 trees of 8 leaves instead of a choice among larger ones."""
    with small_models():
        yield
