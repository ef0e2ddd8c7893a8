"""Spaces: hyperparameters, and the ways to write down a configuration."""

from hpo_core.space.space import Condition, Config, Space

__all__ = ["Condition", "Config", "Space"]
