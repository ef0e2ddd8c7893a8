"""Spaces: hyperparameters, and the ways to write down a configuration."""

from hpo_core.space.clauses import Condition, Forbidden, ForbiddenRelation
from hpo_core.space.space import Config, Space

__all__ = ["Condition", "Config", "Forbidden", "ForbiddenRelation", "Space"]
