"""Runs of a store by their labels and seeds, to remove them."""

from __future__ import annotations

from collections.abc import Container, Sequence
from fnmatch import fnmatchcase

from hpo_leaderboard.store.store import Store


def keys_named(
    store: Store, optimizers: Sequence[str] | None, benchmarks: Sequence[str] | None, seeds: Container[int] | None
) -> list[str]:
    """Keys of the runs with these labels and seeds.

    Parameters
    ----------
    store
        What holds the runs.
    optimizers, benchmarks
        Labels, or patterns with `*`, `?` and `[`; None for any.
    seeds
        Of the suite; None for any.
    """
    found = []
    for head in store.heads():
        labels_match = _matches(head.optimizer, optimizers) and _matches(head.benchmark, benchmarks)
        if labels_match and (seeds is None or head.seed in seeds):
            found.append(head.key)
    return found


def _matches(label: str, patterns: Sequence[str] | None) -> bool:
    return patterns is None or any(label == pattern or fnmatchcase(label, pattern) for pattern in patterns)
