"""What `hpo leaderboard --dry-run` prints."""

from __future__ import annotations

from hpo_cli.parts.rendering import Column, Output, Row, seconds_in_words
from hpo_leaderboard.experiments.splitting.dry_run import DryRun

COLUMNS = [
    Column("optimizer", "{optimizer}", width=15),
    Column("runs", "{n_runs:,}", right=True),
    Column("stored", "{n_present:,}", right=True),
    Column("to run", "{n_missing:,}", right=True),
    Column("CPU", lambda row: seconds_in_words(row["cpu_seconds"]), right=True, width=8),
    Column("estimated from", lambda row: ", ".join(row["sources"])),
]


def print_dry_run(planned: DryRun, n_processes: int, out: Output) -> None:
    """Print what would be run, what is left out and why, and how long it would take."""
    rows: list[Row] = [{**each._asdict(), "n_missing": each.n_runs - each.n_present} for each in planned.optimizers]
    out.table(COLUMNS, rows)
    for line in planned.left_out:
        out.say(line)
    seconds = sum(row["cpu_seconds"] for row in rows)
    n_missing = sum(row["n_missing"] for row in rows)
    out.say(
        f"{n_missing:,} runs to run, {seconds_in_words(seconds)} of CPU time: about "
        f"{seconds_in_words(seconds / n_processes)} with {n_processes} processes. Nothing was run"
    )
