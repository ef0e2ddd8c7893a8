"""Trainers of the papers other than FC-Net, and the two ways to evaluate one: hold-out and cross-validation."""

from fcnet_data.trainers.boosting import XGBOOST_3, XGBOOST_8, XGBOOST_9
from fcnet_data.trainers.evaluation import Evaluation, cross_validate, holdout
from fcnet_data.trainers.forest import FOREST
from fcnet_data.trainers.linear import LINEAR, LINEAR_OPTIMAL
from fcnet_data.trainers.svm import SVM
from fcnet_data.trainers.trainer import Trainer
from hpo_core.errors import UnknownName, nearest

TRAINERS: dict[str, Trainer] = {
    t.name: t for t in (SVM, XGBOOST_8, XGBOOST_9, XGBOOST_3, FOREST, LINEAR, LINEAR_OPTIMAL)
}


def trainer(name: str) -> Trainer:
    """Trainer by name: svm, xgboost-8, xgboost-9, xgboost-3, forest, linear or linear-optimal."""
    if name not in TRAINERS:
        raise UnknownName(f"no trainer is called {name!r}{nearest(name, TRAINERS)}")
    return TRAINERS[name]


__all__ = ["TRAINERS", "Evaluation", "Trainer", "cross_validate", "holdout", "trainer"]
