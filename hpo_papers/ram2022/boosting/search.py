"""One search of hyperparameters of boosted trees on a dataset: the part of tables 2-4 that takes time."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_papers.ram2022.boosting.datasets import binary

N_CANDIDATES = 10  # of scikit-learn's RandomizedSearchCV
TEST_SHARE = 0.25
METRICS = ("auroc", "accuracy")


def candidates(rng: np.random.Generator, n: int) -> list[dict[str, Any]]:
    """Random settings of scikit-learn's HistGradientBoostingClassifier, in the paper's ranges where it has them."""
    return [
        {
            "learning_rate": float(rng.uniform(0.01, 0.4)),
            "max_iter": int(rng.integers(100, 501)),
            "max_leaf_nodes": int(rng.integers(6, 51)),
            "min_samples_leaf": int(rng.integers(100, 501)),
            "max_depth": [None, None, 1, 2, 3, 4, 5, 6, 7][rng.integers(9)],  # -1 and 0 are no limit
            "max_features": float(rng.uniform(0.4, 0.7)),
            "l2_regularization": float(rng.uniform(0, 100)),
        }
        for _ in range(n)
    ]


def search(dataset: str, share: float, repetition: int, n_candidates: int, trees: int) -> dict[str, dict[str, float]]:
    """Test scores of a search, for each of `METRICS` as what is searched by and measured.

    Parameters
    ----------
    dataset
        One of `GROUPS`.
    share
        mu / n, of the rows that are not test rows.
    repetition
        Seed of the split and of the candidates; test rows are the same for all shares.
    n_candidates
        Settings that are compared.
    trees
        Largest number of trees.

    Returns
    -------
    dict
        "selected", the best by held-out rows, "oracle", the best by test rows, and "retrained", the selected one
        trained on all n rows: their scores on the test rows.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    x, y = binary(dataset)
    rng = np.random.default_rng([repetition, 17])
    order = rng.permutation(len(x))
    test, rest = np.split(order, [round(TEST_SHARE * len(x))])
    held_out, train = np.split(rest, [round(share * len(rest))])
    settings = candidates(rng, n_candidates)

    def fitted(place: int, rows: np.ndarray) -> Any:
        setting = {**settings[place], "max_iter": min(trees, settings[place]["max_iter"])}
        model = HistGradientBoostingClassifier(**setting, early_stopping=False, random_state=repetition)
        return model.fit(x[rows], y[rows])

    models = [fitted(place, train) for place in range(n_candidates)]
    valid, tested = ([scores(model, x[rows], y[rows]) for model in models] for rows in (held_out, test))
    found = {}
    for metric in METRICS:
        best = int(np.argmax([each[metric] for each in valid]))
        again = scores(fitted(best, rest), x[test], y[test])[metric]
        oracle = max(each[metric] for each in tested)
        found[metric] = {"selected": tested[best][metric], "oracle": oracle, "retrained": again}
    return found


def scores(model: Any, x: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Area under the ROC curve and balanced accuracy."""
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score

    probability = model.predict_proba(x)[:, 1]
    return {
        "auroc": float(roc_auc_score(y, probability)),
        "accuracy": float(balanced_accuracy_score(y, probability > 0.5)),
    }
