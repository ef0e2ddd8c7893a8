"""What the file of a surrogate network must hold, so that folding and evaluating it can rely on it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hpo_core.space import Space
from hpo_core.space.hyperparameters import Float, Int
from hpo_core.storage.plain_fields import finite, mapping, number, text, truth, whole
from tabular.yahpo.transform import EXP, IDENTITY, LOG, Transform

MOST_FACTOR = 1e9  # of a transform, in size
MOST_EXPONENT = 700.0  # exp of a larger one overflows


def sound_transform(data: object) -> Transform:
    """A transform of a known function and finite numbers."""
    said = mapping(data, "a transform")
    if said.get("function") not in (IDENTITY, LOG, EXP):
        raise ValueError(f"the function of a transform must be {IDENTITY}, {LOG} or {EXP}")
    truth(said.get("rounds"), "rounds")
    for name in ("inner_scale", "inner_shift", "outer_scale", "outer_shift"):
        number(said.get(name), name, -MOST_FACTOR, MOST_FACTOR)
    return Transform(**said)


def check_input(name: str, transform: Transform, space: Space) -> None:
    """Raise `ValueError` for the transform of an input that is not defined on all of its range."""
    if transform.function == IDENTITY:
        return
    h = space[name] if name in space.names else None
    ends = (float(h.low), float(h.high)) if isinstance(h, (Float, Int)) else (0.0, math.inf)  # a budget is above 0
    inner = [transform.inner_scale * end + transform.inner_shift for end in ends]
    if transform.function == LOG and (min(inner) < 0 or max(inner) <= 0 or math.isnan(sum(inner))):
        raise ValueError(f"the logarithm of {name!r} is not defined on its range")
    if transform.function == EXP and max(inner) > MOST_EXPONENT:
        raise ValueError(f"the exponential of {name!r} is too large")


def check_output(name: str, transform: Transform) -> None:
    """Raise `ValueError` for the transform of an output, a number in [0, 1], that is not defined there."""
    inner = (transform.inner_shift, transform.inner_scale + transform.inner_shift)
    if transform.function == LOG and min(inner) <= 0:
        raise ValueError(f"the logarithm of {name!r} is not defined for all outputs")
    if transform.function == EXP and max(inner) > MOST_EXPONENT:
        raise ValueError(f"the exponential of {name!r} is too large")


def sound_codes(data: object, table: np.ndarray, name: str) -> dict[str, int]:
    """Codes of the values of a category, rows of its embedding."""
    codes = mapping(data, f"the codes of {name!r}")
    return {text(value, name): whole(code, f"a code of {name!r}", 0, len(table) - 1) for value, code in codes.items()}


def check_weights(arrays: Mapping[str, np.ndarray], n_numbers: int, n_categories: int, n_targets: int) -> None:
    """Raise `ValueError` for weights that are not those of such a network."""
    for name, array in arrays.items():
        if array.dtype != np.float32:
            raise ValueError(f"{name!r} must be of type float32, got {array.dtype}")
    width = len(arrays["first.bias"])
    embeddings = [finite(arrays[f"embedding.{i}"], f"embedding.{i}", (None, None)) for i in range(n_categories)]
    n_inputs = sum(table.shape[1] for table in embeddings) + n_numbers
    shapes: dict[str, Sequence[int]] = {"first.weight": (width, n_inputs), "first.bias": (width,)}
    shapes |= {"last.norm": (4, width), "head.weight": (n_targets, width), "head.bias": (n_targets,)}
    for k in range(sum(name.endswith(".first.weight") for name in arrays)):
        units = arrays[f"{k}.first.weight"].shape[0] // 2
        shapes |= {f"{k}.norm": (4, width), f"{k}.first.weight": (2 * units, width), f"{k}.first.bias": (2 * units,)}
        shapes |= {f"{k}.second.weight": (width, units), f"{k}.second.bias": (width,)}
    known = shapes.keys() | {f"embedding.{i}" for i in range(n_categories)}
    if known != arrays.keys() or "0.norm" not in arrays:
        raise ValueError(f"its arrays must be those of a network, got {', '.join(sorted(known ^ arrays.keys()))[:200]}")
    for name, shape in shapes.items():
        finite(arrays[name], name, tuple(shape))
        if name.endswith("norm") and (arrays[name][3] < 0).any():
            raise ValueError(f"a variance of {name!r} is negative")
    if not (arrays["last.norm"][0] > 0).all():
        raise ValueError("the scales of the last normalisation must be above 0")


def sound_record(data: object) -> dict[str, Any]:
    """What was measured on an instance."""
    said = mapping(data, "a record")
    for name in ("optimum", "clipped", "extrapolated"):
        number(said.get(name), name)
    for name in ("evaluations", "restarts", "agreeing"):
        whole(said.get(name), name)
    truth(said.get("optimum_extrapolated"), "optimum_extrapolated")
    mapping(said.get("config"), "the best configuration")
    return said
