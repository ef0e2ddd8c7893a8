"""The numbers of Tables 3, 4 and 5: method to RTC and RYC, by algorithm or dataset in the order of the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hpo_papers.frame.item import Comparison

Printed = Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]]  # method: (RTC, ...), (RYC, ...)

TABLE_3_COLUMNS = ("RF", "XGB")
TABLE_3: Printed = {
    "Conv_10": ((0.840, 0.841), (-0.031, -0.051)),
    "Conv_30": ((0.686, 0.666), (-0.022, -0.026)),
    "Conv_50": ((0.498, 0.504), (-0.015, -0.021)),
    "EI_1e-08": ((0.896, 0.850), (-0.057, -0.052)),
    "EI_1e-12": ((0.895, 0.779), (-0.055, -0.047)),
    "EI_1e-16": ((0.893, 0.718), (-0.052, -0.045)),
    "PI_1e-04": ((0.898, 0.875), (-0.059, -0.059)),
    "PI_1e-08": ((0.895, 0.814), (-0.055, -0.052)),
    "PI_1e-12": ((0.894, 0.739), (-0.055, -0.044)),
    "Ours_0.21": ((0.318, 0.144), (-0.004, -0.003)),
    "Ours_0.5": ((0.580, 0.224), (-0.013, -0.006)),
}
TABLE_4_COLUMNS = ("naval", "parkinsons", "protein", "slice")
TABLE_4: Printed = {
    "Conv_10": ((0.943, 0.947, 0.946, 0.942), (-0.605, -0.582, -0.117, -0.432)),
    "Conv_30": ((0.826, 0.837, 0.837, 0.840), (-0.064, -0.235, -0.021, -0.119)),
    "Conv_50": ((0.748, 0.729, 0.734, 0.747), (-0.038, -0.107, -0.008, -0.058)),
    "Ours_0.0001": ((0.790, 0.018, 0.198, 0.822), (-0.041, -0.012, -0.005, -0.072)),
    "Ours_0.001": ((0.910, 0.038, 0.271, 0.934), (-0.220, -0.031, -0.018, -0.281)),
    "Ours_0.01": ((0.941, 0.901, 0.906, 0.953), (-0.498, -0.378, -0.071, -0.466)),
}
TABLE_5_COLUMNS = ("imagenet", "cifar10", "cifar100")
TABLE_5: Printed = {
    "Conv_10": ((0.880, 0.889, 0.888), (-0.034, -0.098, -0.097)),
    "Conv_30": ((0.612, 0.611, 0.606), (-0.010, -0.019, -0.036)),
    "Conv_50": ((0.372, 0.361, 0.372), (-0.004, -0.006, -0.014)),
    "Ours_0.0001": ((0.274, 0.311, 0.519), (-0.002, -0.008, -0.026)),
    "Ours_0.001": ((0.377, 0.622, 0.582), (-0.005, -0.023, -0.033)),
    "Ours_0.01": ((0.837, 0.902, 0.879), (-0.022, -0.106, -0.099)),
}


def beside(rows: Sequence[Mapping[str, Any]], printed: Printed, columns: Sequence[str]) -> list[Comparison]:
    """Two comparisons for each row of `methods.cv_rows` or `table_rows`: RTC and RYC."""
    found = []
    for row in rows:
        for i, score in enumerate(("rtc", "ryc")):
            cells = printed.get(row["method"])
            value = None if cells is None else cells[i][columns.index(row["group"])]
            what = f"{row['method']}, {row['group']}: {score.upper()}"
            found.append(Comparison(what, value, row[score], row[f"{score}_low"], row[f"{score}_high"]))
    return found
