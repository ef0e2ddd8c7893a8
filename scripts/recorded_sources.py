"""Search spaces and sources of the recorded evaluations that `scripts/pack_recorded.py` packs."""

from __future__ import annotations

import math
from typing import Any

from hpo_core import Categorical, Float, Int, Space

LN10 = math.log(10.0)

# --- TaskSet: the scales are those that Metz et al. (2020) drew the configurations on --------------------------------

ADAM = Space(
    [
        Float("learning_rate", 1e-8, 10.0, log=True),
        Float("one_minus_beta1", 1e-4, 1.0, log=True),
        Float("one_minus_beta2", 1e-6, 1.0, log=True),
        Float("epsilon", 1e-10, 1e3, log=True),
        Float("l1", 1e-8, 10.0, log=True),
        Float("l2", 1e-8, 10.0, log=True),
        Float("linear_decay", 1e-7, 1e-4, log=True),
        Float("exponential_decay", 1e-6, 1e-3, log=True),
    ],
    name="taskset-adam",
)
TASKSET: dict[str, Any] = {
    "paper": "Metz et al. (2020), Using a Thousand Optimization Tasks to Learn Hyperparameter Search Strategies",
    "source": "GitHub releaunifreiburg/DyHPO, commit cfba15a, the text RNN tasks of TaskSet",
    "licence": "Apache License 2.0",
    "loss": "validation loss at an evaluation; infinite where the source has NaN: the training had diverged",
    "budgets": "evaluation k was made after 200 (k - 1) steps of Adam: the first is that of the untrained network",
    "cost": "no time is recorded: each of the evaluations counts as 1 second",
    "hyperparameters": "beta1 and beta2 of the source as 1 - beta1 and 1 - beta2, on whose logarithm they were drawn",
    "repetitions": "one training of each configuration",
}

# --- Salinas et al. (2020): names and scales of the source; DeepAR's integers are integers again ---------------------

BOOSTED_TREES = Space(
    [
        Float("log2_min_child_weight", -8.0, 6.0),
        Float("subsample", 0.5, 1.0),
        Float("colsample_bytree", 0.3, 1.0),
        Float("log2_gamma", -20.0, 6.0),
        Float("log2_lambda", -10.0, 8.0),
        Float("eta", 0.0, 1.0),
        Int("max_depth_index", 0, 12),
        Float("log2_alpha", -20.0, 8.0),
    ],
    name="xgboost-tables",
)


def deepar_space(prediction_length: int) -> Space:
    """Space of DeepAR on a dataset; the context is up to four times as long as the prediction."""
    return Space(
        [
            Int("num_layers", 2, 4),
            Int("num_cells", 30, 120),
            Float("dropout_rate_log", -2 * LN10, -0.3 * LN10),
            Float("learning_rate_log", -4 * LN10, -LN10),
            Int("num_batches_per_epoch", 10, 10_000, log=True),
            Int("context_length", 1, 4 * prediction_length, log=True),
        ],
        name="deepar",
    )


SALINAS = {
    "paper": "Salinas et al. (2020), A Quantile-based Approach for Hyperparameter Transfer Learning",
    "source": "GitHub geoalgo/A-Quantile-based-Approach-for-Hyperparameter-Transfer-Learning, commit 31cdb2f",
    "licence": "Apache License 2.0; from icdishb/hyperparameter-transfer-learning-evaluations, 33fec5e, MIT License",
    "repetitions": "one training of each configuration",
}
XGBOOST: dict[str, Any] = {
    **SALINAS,
    "loss": "metric_error, which the source does not define; a constant prediction has .5 on every dataset, as 1 - AUC",
    "hyperparameters": "log2_* are binary logarithms; the source does not say which depths max_depth_index numbers",
}
DEEPAR: dict[str, Any] = {
    **SALINAS,
    "loss": "metric_CRPS",
    "hyperparameters": "*_log are natural logarithms; num_layers, num_cells, num_batches_per_epoch and context_length, "
    "logarithms in the source, are integers",
}

# --- van Rijn and Hutter (2018) --------------------------------------------------------------------------------------

IMPUTATION = Categorical("imputation", ["mean", "median", "most_frequent"])
TREES = Space(
    [
        Categorical("bootstrap", [True, False]),
        Categorical("criterion", ["gini", "entropy"]),
        Float("max_features", 0.1, 0.9),
        Int("min_samples_leaf", 1, 20),
        Int("min_samples_split", 2, 20),
        IMPUTATION,
    ],
    name="openml-rf",
)
ADABOOST = Space(
    [
        Categorical("algorithm", ["SAMME", "SAMME.R"]),
        Float("learning_rate", 0.01, 2.0, log=True),
        Int("max_depth", 1, 10),
        Int("n_estimators", 50, 500),
        IMPUTATION,
    ],
    name="openml-adaboost",
)
FIXED = {"max_depth": "None", "max_leaf_nodes": "None", "min_weight_fraction_leaf": "0.0", "n_estimators": "100"}
OPENML: dict[str, Any] = {
    "paper": "van Rijn and Hutter (2018), Hyperparameter Importance Across Datasets",
    "source": "GitHub janvanrijn/openml-pimp, commit 349043f; runs on OpenML, study OpenML100",
    "licence": "BSD 3-Clause",
    "loss": "1 - predictive_accuracy: an accuracy, which is maximised, became an error",
    "repetitions": "one run of each configuration, which is the mean over the folds of the task",
}
FOREST = {**OPENML, "flow": "OpenML flow 6969, scikit-learn's RandomForestClassifier", "fixed": FIXED}
BOOSTING = {**OPENML, "flow": "OpenML flow 6970, scikit-learn's AdaBoostClassifier on decision trees"}
