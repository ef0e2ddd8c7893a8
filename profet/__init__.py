"""PROFET: a meta-model of a class of problems, and the tasks that are sampled from it (Klein, 2020, chapter 8).

model = profet.open_model("svm")              one that comes with the package, or is trained on first use
model = profet.train("forrester", seed=0)
model = profet.from_arrays(X, Y, space)       of your own data
tasks = profet.sample(model, 1000, seed=0)    problems, for `hpo_core.Benchmark`
losses, costs = profet.batch(model, tasks, X) all of them at many points, in one call
"""

from importlib import import_module
from typing import Any

from profet.family import open_model, train
from profet.meta_data import InvalidMetaData, MetaData, read_meta_data
from profet.meta_model import MetaModel
from profet.model_file import read_model, write_model
from profet.sampling import sample, sample_task
from profet.task import Task

# Training needs scipy's optimizers, which take longer to import than a task to sample.
_ON_DEMAND = {
    "batch": "profet.many_tasks",
    "from_arrays": "profet.learning.training",
    "train_on": "profet.learning.training",
    "Settings": "profet.settings",
    "FAST": "profet.settings",
    "PAPER": "profet.settings",
}

__all__ = [
    "FAST",
    "PAPER",
    "InvalidMetaData",
    "MetaData",
    "MetaModel",
    "Settings",
    "Task",
    "batch",
    "from_arrays",
    "open_model",
    "read_meta_data",
    "read_model",
    "sample",
    "sample_task",
    "train",
    "train_on",
    "write_model",
]


def __getattr__(name: str) -> Any:
    if name in _ON_DEMAND:
        return getattr(import_module(_ON_DEMAND[name]), name)
    raise AttributeError(f"module 'profet' has no attribute {name!r}")
