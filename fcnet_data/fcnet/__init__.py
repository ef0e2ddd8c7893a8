"""Fully connected networks trained as for the FC-Net tables (regression) and the PROFET meta-data (classification)."""

from fcnet_data.fcnet.recipes import CLASSIFICATION_SPACE, EPOCHS, REGRESSION_SPACE, Recipe, fcnet_recipe, recipe
from fcnet_data.fcnet.training import DIVERGED_LOSS, TrainedCurves, TrainingData, train, training_data

__all__ = [
    "CLASSIFICATION_SPACE",
    "DIVERGED_LOSS",
    "EPOCHS",
    "REGRESSION_SPACE",
    "Recipe",
    "TrainedCurves",
    "TrainingData",
    "fcnet_recipe",
    "recipe",
    "train",
    "training_data",
]
