"""Tables of the report: the leaderboard of a group, and the final regret on each of its benchmarks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from hpo_leaderboard.report.scored.groups import Group
from hpo_leaderboard.scores.incumbents import cells, final_values
from hpo_leaderboard.scores.intervals import mean_table, quantiles

if TYPE_CHECKING:
    import pandas

NOTHING = "-"


class Row(NamedTuple):
    """A row of the leaderboard, as shown; `left`, `width` and `dot` are percentages of the column of ranks."""

    position: int
    optimizer: str
    rank: str
    rank_interval: str
    left: float
    width: float
    dot: float
    regret: str
    relative: str
    reached: str
    reached_interval: str
    overhead: str
    wins: str
    n_runs: int
    n_broken: int


def board_rows(group: Group) -> list[Row]:
    """Rows of the leaderboard, the best first."""
    return [
        _row(position, row, len(group.optimizers)) for position, row in enumerate(group.board.to_dict("records"), 1)
    ]


def _row(position: int, row: dict, n_optimizers: int) -> Row:
    def percent(rank: float) -> float:
        return round(100 * (rank - 1) / max(n_optimizers - 1, 1), 1)

    known = not math.isnan(row["rank_low"])
    low, high = (percent(row[name]) if known else percent(row["rank"]) for name in ("rank_low", "rank_high"))
    return Row(
        position=position,
        optimizer=row["optimizer"],
        rank=f"{row['rank']:.2f}",
        rank_interval=f"[{row['rank_low']:.2f}, {row['rank_high']:.2f}]" if known else "",
        left=low,
        width=round(high - low, 1),
        dot=percent(row["rank"]),
        regret=number(row["regret"]),
        relative=number(row["relative"]),
        reached=f"{100 * row['reached']:.1f} %",
        reached_interval=(
            f"[{100 * row['reached_low']:.1f}, {100 * row['reached_high']:.1f}]"
            if not math.isnan(row["reached_low"])
            else ""
        ),
        overhead=number(1e3 * row["overhead"]),
        wins=f"{row['wins']:.3g}",
        n_runs=int(row["n_runs"]),
        n_broken=int(row["n_broken"]),
    )


def number(value: float, digits: int = 3) -> str:
    """The value to a number of significant digits, ∞ for infinity and - where it is not known."""
    if math.isnan(value):
        return NOTHING
    return f"{value:.{digits}g}" if math.isfinite(value) else "∞"


def final_regrets(group: Group) -> pandas.DataFrame:
    """Final regret over the runs of each optimizer on each benchmark: median, quartiles, mean with its interval, n."""
    final = final_values(group.incumbents)
    means = mean_table(final).rename(columns={"low": "mean_low", "high": "mean_high"})
    runs = [final.to_numpy(dtype=float)[rows] for _, rows in cells(final)]  # in the order of `mean_table`
    for name, share in (("median", 0.5), ("q25", 0.25), ("q75", 0.75)):
        means[name] = [quantiles(own, (share,))[0] for own in runs]
    return means[["benchmark", "optimizer", "median", "q25", "q75", "mean", "mean_low", "mean_high", "n"]]


class Cell(NamedTuple):
    """A median final regret, as shown; `best` if no other optimizer's is lower."""

    text: str
    quartiles: str
    best: bool


def regret_rows(group: Group, table: pandas.DataFrame) -> list[tuple[str, list[Cell]]]:
    """For each benchmark a cell for each optimizer, in the order of the leaderboard, from `final_regrets`."""
    of = {(row["benchmark"], row["optimizer"]): row for row in table.to_dict("records")}
    rows = []
    for benchmark in group.benchmarks:
        own = [of[benchmark, optimizer] for optimizer in group.optimizers]
        lowest = min(row["median"] for row in own)
        cells = [
            Cell(
                number(row["median"]),
                f"quartiles {number(row['q25'])} to {number(row['q75'])}, {row['n']} runs",
                row["median"] == lowest,
            )
            for row in own
        ]
        rows.append((benchmark, cells))
    return rows
