"""Means and standard deviations over runs, for the scatter plots, and how many stops are the recorded ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hpo_papers.makarova2022.record.contents import Record, Runs
from hpo_papers.makarova2022.record.methods import run_scores, stops_of


def spread_rows(runs: Runs, methods: Sequence[str], group: str) -> list[dict[str, Any]]:
    """Mean and standard deviation of RTC and RYC over all runs, a row for each method."""
    return [_row(method, group, *run_scores(runs, stops_of(runs, method))) for method in methods]


def spread_rows_by_dataset(runs: Runs, methods: Sequence[str]) -> list[dict[str, Any]]:
    """The same for each dataset."""
    rows = []
    for method in methods:
        for dataset, saved, changed in zip(runs.datasets, *run_scores(runs, stops_of(runs, method)), strict=True):
            rows.append(_row(method, dataset, saved, changed))
    return rows


def _row(method: str, group: str, saved: np.ndarray, changed: np.ndarray) -> dict[str, Any]:
    return {
        "method": method,
        "group": group,
        "rtc": float(np.nanmean(saved)),
        "rtc_std": float(np.nanstd(saved)),
        "ryc": float(np.nanmean(changed)),
        "ryc_std": float(np.nanstd(changed)),
    }


def stops_that_differ(record: Record, study: str, name: str, methods: Sequence[str]) -> dict[str, int]:
    """Number of our stops that are not the recorded ones, by method; methods without a record are left out."""
    runs, recorded = record.runs[study, name], record.stops.get((study, name), {})
    known = [method for method in methods if method in recorded]
    differing = {m: (stops_of(runs, m) != recorded[m]) & (recorded[m] > 0) for m in known}
    return {method: int(where.sum()) for method, where in differing.items()}


def by_method(rows: Sequence[dict[str, Any]], group: str) -> dict[str, dict[str, Any]]:
    """Rows of a group by method."""
    return {row["method"]: row for row in rows if row["group"] == group}
