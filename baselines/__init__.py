"""Optimizers and stopping criteria, one per file, by name.

>>> from hpo_core import Benchmark
>>> from baselines import optimizer
>>> o = optimizer("rs", Benchmark("branin").space, seed=0)
>>> sorted(o.ask().config)
['x1', 'x2']
"""

from baselines.registry import OptimizerEntry, optimizer, optimizers, register_optimizer
from baselines.stopping.registry import criteria, criterion

__all__ = ["OptimizerEntry", "criteria", "criterion", "optimizer", "optimizers", "register_optimizer"]
