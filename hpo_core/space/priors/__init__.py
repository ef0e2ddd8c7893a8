"""Priors: what a user believes about where good configurations lie."""

from hpo_core.space.priors.entries import Beta, Entry, Normal, Weights
from hpo_core.space.priors.prior import UserPrior

__all__ = ["Beta", "Entry", "Normal", "UserPrior", "Weights"]
