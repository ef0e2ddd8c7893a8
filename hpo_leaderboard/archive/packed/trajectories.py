"""A run as the trials that scores look at: those where the incumbent changes, and the ends of the run.

Kept of a run are its first and last trial, every trial that becomes the incumbent by either rule of
`scores.incumbents` (highest budget, lowest loss), and those with the lowest noise-free loss and test loss, from which
regret may be measured. Of each other trial three flags are kept: whether it failed, and whether its noise-free loss and
its test loss are known. When the run is opened such a trial repeats the incumbent of that moment, and ends with the
last trial that is kept before it: no score can tell, since ties leave the incumbent as it is.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hpo_leaderboard.archive.packed.contents import KEPT_COLUMNS
from hpo_leaderboard.store.columns import LAYOUT

FAILED, EXACT_KNOWN, TEST_KNOWN = 1, 2, 4
EMPTY_CONFIG = b"{}"  # configurations of a trajectory are not kept
FIELDS = {"kept_budget": "budget", "kept_loss": "loss", "kept_exact": "exact", "kept_test": "test", "kept_end": "end"}


def flags_of(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """(n,) flags of the trials of a run."""
    failed = columns["failed"] | ~np.isfinite(columns["loss"])
    known = [~np.isnan(columns[name]) for name in ("exact", "test")]
    return (FAILED * failed + EXACT_KNOWN * known[0] + TEST_KNOWN * known[1]).astype(np.uint8)


def kept_of(columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The trials of a run that are kept, as columns by the names of `KEPT_COLUMNS`."""
    n = len(columns["loss"])
    if n == 0:
        return {name: np.empty(0, dtype=kind) for name, kind in KEPT_COLUMNS.items()}
    good = np.flatnonzero((flags_of(columns) & FAILED) == 0)
    keep = np.zeros(n, dtype=bool)
    keep[[0, n - 1]] = True
    for budget in (columns["budget"], np.zeros(n)):
        keep[_changes(budget[good], columns["loss"][good], good)] = True
    for name in ("exact", "test"):
        known = good[~np.isnan(columns[name][good])]
        if len(known):
            keep[known[columns[name][known].argmin()]] = True
    position = np.flatnonzero(keep)
    found = {name: columns[field][position].astype(KEPT_COLUMNS[name]) for name, field in FIELDS.items()}
    return {"position": position.astype(KEPT_COLUMNS["position"]), **found}


def _changes(budget: np.ndarray, loss: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Those of the rows that become the incumbent: a higher budget than all before, or a lower loss at the highest."""
    changed, best = [], (-np.inf, -np.inf)
    for row, mine in zip(rows.tolist(), zip(budget.tolist(), (-loss).tolist(), strict=True), strict=True):
        if mine > best:
            best = mine
            changed.append(row)
    return np.array(changed, dtype=np.intp)


def opened(kept: Mapping[str, np.ndarray], flags: np.ndarray) -> dict[str, np.ndarray]:
    """The columns of a run as `store.columns.LAYOUT` has them, of its kept trials and the flags of all."""
    n = len(flags)
    failed = (flags & FAILED) != 0
    position = kept["position"].astype(np.intp)
    is_kept = np.zeros(n, dtype=bool)
    is_kept[position] = True
    latest = np.cumsum(is_kept) - 1  # number of the last trial that is kept, up to each
    own = {field: kept[name].astype(float) for name, field in FIELDS.items()}
    incumbent = _incumbents(own["budget"], own["loss"], failed[position])[latest] if n else np.empty(0, dtype=np.intp)
    none = incumbent < 0
    columns = {
        "budget": np.where(none, own["budget"][latest], own["budget"][incumbent]) if n else np.empty(0),
        "loss": np.where(failed | none, np.inf, own["loss"][incumbent]) if n else np.empty(0),
        "end": own["end"][latest] if n else np.empty(0),
        "exact": _known(own["exact"], incumbent, (flags & EXACT_KNOWN) != 0),
        "test": _known(own["test"], incumbent, (flags & TEST_KNOWN) != 0),
    }
    for field, values in own.items():
        columns[field][position] = values
    columns["start"] = np.concatenate([[0.0], columns["end"][:-1]]) if n else np.empty(0)
    columns["cost"] = columns["end"] - columns["start"]
    columns |= {"step": np.arange(n), "worker": np.zeros(n), "failed": failed}
    return {name: np.asarray(columns[name], dtype=kind) for name, kind in LAYOUT}


def _incumbents(budget: np.ndarray, loss: np.ndarray, failed: np.ndarray) -> np.ndarray:
    """(kept,) number of the incumbent, by the highest budget, from each kept trial on; -1 while there is none."""
    good = np.flatnonzero(~failed)
    found = np.full(len(loss), -1, dtype=np.intp)
    changes = _changes(budget[good], loss[good], good)
    found[changes] = changes
    return np.maximum.accumulate(found) if len(found) else found


def _known(values: np.ndarray, incumbent: np.ndarray, known: np.ndarray) -> np.ndarray:
    """(n,) value of the incumbent where a trial's own is known, NaN elsewhere.

    Where the incumbent's is not known, the lowest one of the run stands in: only whether there is one is looked at.
    """
    lowest = np.nanmin(values) if not np.isnan(values).all() else np.nan
    own = np.where(incumbent < 0, np.nan, values[incumbent]) if len(values) else np.full(len(incumbent), np.nan)
    return np.where(known, np.where(np.isnan(own), lowest, own), np.nan)
