"""`run_seed`: the seed with which a leaderboard runs an optimizer on a benchmark; `spans`: seeds in few words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

N_SEEDS = 2**31  # many libraries take no seed above


def run_seed(seed: int, benchmark: str, options: Mapping[str, Any] | None = None) -> int:
    """Seed of a run, in 0 .. 2^31 - 1, made of the suite's seed and of the benchmark's name and options.

    With one seed for all benchmarks, random search would try the same configurations on every task with the same space,
    and tests that take tasks to be independent would find differences between equal optimizers. Optimizers
    still share the run's seed on each benchmark. It is a part of a SHA-256, so it is the same in every process and
    release.

    Examples
    --------
    >>> from hpo_leaderboard.experiments.run_seeds import run_seed
    >>> run_seed(0, "protein"), run_seed(0, "slice")
    (1818782178, 774593030)
    """
    text = json.dumps([int(seed), benchmark, dict(options or {})], sort_keys=True, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % N_SEEDS


def spans(seeds: Iterable[int]) -> str:
    """The seeds in few words, neighbours joined.

    >>> spans([0, 1, 2, 5, 7, 8, 1])
    '0-2, 5, 7-8'
    """
    parts: list[list[int]] = []
    for seed in sorted(set(seeds)):
        if parts and seed == parts[-1][-1] + 1:
            parts[-1] = [parts[-1][0], seed]
        else:
            parts.append([seed])
    return ", ".join("-".join(map(str, part)) for part in parts)
