"""The trials of a run as columns: packed into bytes for the store, and unpacked, many runs at once.

The numbers of n trials are n values of each column of `LAYOUT`, one column after the other, little-endian. Their
configurations are lines of JSON with sorted keys. Trials stand in their order of completion.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hpo_core.running.trial import Trial

LAYOUT = (
    ("step", "<i4"),
    ("budget", "<f8"),
    ("loss", "<f8"),
    ("cost", "<f8"),
    ("start", "<f8"),
    ("end", "<f8"),
    ("worker", "<i4"),
    ("failed", "|b1"),
    ("exact", "<f8"),
    ("test", "<f8"),
)
TRIAL_SIZE = sum(np.dtype(kind).itemsize for _, kind in LAYOUT)
LEVEL = 1  # of zlib: a third of level 6's time, and configurations shrink to less than a tenth already


def pack_numbers(trials: Sequence[Trial], exact: np.ndarray, test: np.ndarray) -> bytes:
    """Bytes of the columns; `exact` and `test` are the (n,) noise-free losses, NaN where unknown."""
    values: dict[str, Any] = {
        name: np.array([getattr(trial, name) for trial in trials], dtype=float)
        for name in ("step", "budget", "loss", "cost", "start", "worker")
    }
    values["end"] = values["start"] + values["cost"]  # as `Trial.end`, in a third of the time
    values |= {"failed": [trial.failure is not None for trial in trials], "exact": exact, "test": test}
    return b"".join(np.asarray(values[name], dtype=kind).tobytes() for name, kind in LAYOUT)


def unpack_numbers(packed: Sequence[bytes], counts: Sequence[int]) -> dict[str, np.ndarray]:
    """Columns of several runs, one run after the other; `counts` are their numbers of trials."""
    columns, offsets = {}, np.zeros(len(counts), dtype=np.int64)
    for name, kind in LAYOUT:
        ends = offsets + np.asarray(counts, dtype=np.int64) * np.dtype(kind).itemsize
        pieces = [run[a:b] for run, a, b in zip(packed, offsets.tolist(), ends.tolist(), strict=True)]
        columns[name] = np.frombuffer(b"".join(pieces), dtype=kind)
        offsets = ends
    return columns


def numbers_size(n_trials: int) -> int:
    """Number of bytes that the columns of `n_trials` trials take."""
    return n_trials * TRIAL_SIZE


def config_lines(trials: Sequence[Trial]) -> list[str]:
    """Configuration of each trial as JSON with sorted keys."""
    configs = [trial.config if type(trial.config) is dict else dict(trial.config) for trial in trials]
    lines = _encode(configs)[2:-2].split("}, {")  # one call for all takes a third of the time of one for each
    if len(lines) == len(configs) > 0:
        return [f"{{{line}}}" for line in lines]
    return [_encode(config) for config in configs]  # none, an empty one, or a value that contains the separator


def compress(data: bytes) -> bytes:
    return zlib.compress(data, LEVEL)


def decompress(data: bytes) -> bytes:
    return zlib.decompress(data)


def unpacked(data: bytes, most: float) -> bytes:
    """Decompressed bytes, of which there may be at most `most`; raises `ValueError` for more, or for broken ones."""
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(data, 0 if math.isinf(most) else int(most) + 1)
    except zlib.error as error:
        raise ValueError(f"its columns cannot be decompressed ({error})") from None
    if len(content) > most:
        raise ValueError(f"its columns unpack to more than {most:,.0f} bytes")
    if not stream.eof or stream.unused_data:
        raise ValueError("its columns cannot be decompressed (they end too early or too late)")
    return content


def n_lines(configs: bytes) -> int:
    """Number of configurations in lines of JSON; raises `ValueError` for bytes that no JSON of ours has."""
    if not configs.isascii():
        raise ValueError("its configurations are not in ASCII")
    return configs.count(b"\n") + 1 if configs else 0


def number_fault(columns: Mapping[str, np.ndarray]) -> str | None:
    """What is wrong with the columns of trials, None if every value is one that a run can have."""
    loss, failed = columns["loss"], columns["failed"].view(np.uint8)
    rules = {
        "failed is 0 or 1": failed <= 1,
        "a loss is finite, or infinite where the trial failed": np.isfinite(loss) == (failed == 0),
        "no loss is NaN or minus infinity": loss > -np.inf,
        "steps and workers are counted from 0": (columns["step"] >= 0) & (columns["worker"] >= 0),
        "a budget is a finite number": np.isfinite(columns["budget"]),
        "costs and times are finite and not negative": _are_times(columns, ("cost", "start", "end")),
        "noise-free losses are not minus infinity": ~np.isneginf(columns["exact"]) & ~np.isneginf(columns["test"]),
    }
    broken = next((rule for rule, holds in rules.items() if not holds.all()), None)
    return None if broken is None else f"its trials break a rule: {broken}"


def _are_times(columns: Mapping[str, np.ndarray], names: Sequence[str]) -> np.ndarray:
    return np.all([(columns[name] >= 0) & (columns[name] < np.inf) for name in names], axis=0)


def _plain(value: object) -> Any:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a configuration is stored as JSON, and {type(value).__name__} {value!r} is not")


_encode = json.JSONEncoder(sort_keys=True, default=_plain).encode
