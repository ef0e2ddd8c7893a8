"""Cost of a training, in seconds that do not depend on the machine that runs it.

Measured seconds differ from one call to the next, so a table that holds them cannot be reproduced. The tables of this
project hold the time that the kernel would need on one core of the processor below, from a count of its operations:

    seconds per epoch = a (batches) + b (batches x weights) + c (rows) + d (rows x weights)
                        + e (rows x units with dropout) + f (rows evaluated x weights)
                        + g (exponentials of the softmax)

where rows are padded to whole chunks of 8 in every batch. The six numbers were fitted (non-negative least squares of
relative errors) to 160 random networks of 16 to 512 units, batches of 8 to 128, on three datasets (AMD EPYC, the
shortest of three trainings each): the median of |log(model / measured)| is 0.13, and 90 % of the ratios are between
0.64 and 1.23. The seventh is for classifiers alone: what seven datasets of 2 to 26 classes take beyond the six.
`scripts/check_cost_model.py` prints how far the model is from this machine.
"""

from __future__ import annotations

from fcnet_data.fcnet.inputs import LANES
from fcnet_data.fcnet.recipes import Recipe
from fcnet_data.fcnet.training import TrainingData

PER_BATCH = 1.47e-6
PER_STEP = 4.02e-10  # of one weight by the optimizer
PER_ROW = 5.41e-8
PER_GRADIENT = 5.73e-11  # of one weight by one row, forward and backward
PER_DROP = 9.55e-10  # of one unit in one row
PER_PREDICTION = 9.84e-11  # of one weight by one row, forward
PER_EXPONENTIAL = 1.0e-8  # of one class in one row: two in training, one in evaluation


def epoch_cost(recipe: Recipe, data: TrainingData) -> float:
    """Seconds that one epoch of training takes, with the evaluation of validation and test set after it."""
    n_train, batch = len(data.features), recipe.batch_size
    whole, left = divmod(n_train, batch)
    n_batches = whole + (left > 0)
    n_rows = whole * _padded(batch) + _padded(left)
    n_weights = recipe.n_params(data.n_features, max(1, data.n_classes))
    n_dropped = recipe.n_units_1 * (recipe.dropout_1 > 0) + recipe.n_units_2 * (recipe.dropout_2 > 0)
    training = n_batches * (PER_BATCH + PER_STEP * n_weights)
    training += n_rows * (PER_ROW + PER_GRADIENT * n_weights + PER_DROP * n_dropped)
    n_evaluated = data.valid.n_samples + data.test.n_samples
    softmax = (2 * n_train + n_evaluated) * data.n_classes * PER_EXPONENTIAL
    return training + n_evaluated * n_weights * PER_PREDICTION + softmax


def _padded(n_rows: int) -> int:
    return -(-n_rows // LANES) * LANES
