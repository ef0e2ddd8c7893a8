"""Priors: what a user believes about where good configurations lie."""

from hpo_core.space.priors.entries import Beta, Normal, Weights
from hpo_core.space.priors.prior import Prior

__all__ = ["Beta", "Normal", "Prior", "Weights"]
