"""Stopping criteria, one per file, by name: functions of the completed trials, joined by | and &."""

from baselines.stopping.registry import criteria, criterion
from hpo_core.running.joined import Criterion

__all__ = ["Criterion", "criteria", "criterion"]
