"""Stopping criteria, one per file, by name: functions of the completed trials, joined by | and &."""

from baselines.stopping.parts.joined import Criterion
from baselines.stopping.registry import criteria, criterion

__all__ = ["Criterion", "criteria", "criterion"]
