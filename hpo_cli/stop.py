"""`hpo stop replay`: stopping criteria on recorded runs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_cli.parts.arguments import Parser, comma_list
from hpo_cli.parts.rendering import Column, Output, Row, add_formats, records
from hpo_cli.parts.suites import seed_range

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.stopping.recorded_runs import ListedRun, RecordedRun

EXAMPLES = """\
examples:
  hpo stop replay runs.csv.gz                                   the criteria of Makarova et al. (2022), and ours
  hpo stop replay runs_of_hpo_run/ --criteria conv:30              what `hpo run --out` wrote
  hpo stop replay leaderboard/quick.sqlite --criteria conv:30 "regret-bound:0.001"
  hpo stop replay runs.csv.gz --criteria cv-regret-bound "cv-regret-bound:variant=paper" --out pictures

A criterion is written NAME:VALUE,OPTION=VALUE and joined with | and &; `hpo criteria` lists them. RTC is the share of
the trials (RTC time: of the seconds) that stopping saves, RYC the relative change of the test loss, below 0 if it got
worse; in brackets stands what the paper prints. Only the n runs count in RYC whose test losses were recorded, at the
stop and at the end; RYC (validation) is by validation loss, of all runs. A line is printed when its criterion was
replayed on the last run of a group.
"""
BY = ("benchmark", "optimizer")
OTHER_NAMES = {"dataset": "benchmark", "method": "optimizer"}  # of columns, accepted by --by


def add_replay(parser: Parser) -> None:
    parser.explain(
        "When criteria would have stopped recorded runs, what that saves (RTC) and what it costs (RYC).", EXAMPLES
    )
    parser.add_argument(
        "runs",
        type=Path,
        metavar="RUNS",
        help="a store, a table of trials (.csv, .csv.gz, .parquet), a run (.jsonl) or a directory of runs",
    )
    parser.add_argument(
        "--criteria", nargs="+", metavar="C", help="criteria (those of the paper, and ours)", complete="criteria"
    )
    parser.add_argument("--by", type=comma_list, metavar="A,B", help=f"columns to average within: {', '.join(BY)}")
    parser.add_argument("--benchmarks", "--datasets", type=comma_list, metavar="A,B", help="only these")
    parser.add_argument("--optimizers", "--methods", type=comma_list, metavar="A,B", help="only these")
    parser.add_argument("--seeds", type=seed_range, metavar="N|A:B", help="only the seeds 0..N-1 or A..B-1")
    parser.add_argument("--out", type=Path, metavar="DIR", help="directory for tables and pictures")
    add_formats(parser)
    parser.set_defaults(action=_replay)


def _replay(options: argparse.Namespace, out: Output) -> None:
    import pandas as pd

    from hpo_core.errors import InvalidOption
    from hpo_leaderboard.stopping.run_sources import chosen, list_runs
    from hpo_leaderboard.stopping.scores import summary

    listed = chosen(list_runs(options.runs), options.benchmarks, options.optimizers, options.seeds)
    if not listed:
        raise InvalidOption(f"no run of {options.runs} is left by --benchmarks, --optimizers and --seeds")
    has_folds = "folds" in listed[0].read().trials[0].result.info
    by = [OTHER_NAMES.get(name, name) for name in options.by or (BY[1:] if has_folds else BY)]
    unknown = set(by) - set(BY)
    if unknown:
        raise InvalidOption(f"--by takes {' and '.join(BY)}, got {', '.join(sorted(unknown))}")
    specs = options.criteria or _default_criteria(has_folds)
    kept: list[RecordedRun] | None = None if options.out is None else []
    stops: list[pandas.DataFrame] = []
    out.table(_columns(by, max(map(len, specs))), _rows(listed, specs, by, stops, kept))
    if kept is not None:
        together = pd.concat(stops, ignore_index=True)
        for path in _write(options.out, kept, together, summary(together, by), by):
            out.say(f"wrote {path}")


def _rows(
    listed: Sequence[ListedRun],
    specs: Sequence[str],
    by: Sequence[str],
    stops: list[pandas.DataFrame],
    kept: list[RecordedRun] | None,
) -> Iterator[Row]:
    """Scores of each criterion on a group of runs, as soon as it was replayed on the last of them.

    Parameters
    ----------
    listed
        The runs; those of a group are read when their turn comes.
    specs
        The criteria.
    by
        Columns that make a group.
    stops
        Receives the stops of each criterion on each group.
    kept
        Receives the runs, unless it is None.
    """
    from tqdm import tqdm

    from hpo_leaderboard.engines.threads import one_thread
    from hpo_leaderboard.stopping.replay import replay
    from hpo_leaderboard.stopping.scores import summary

    groups: dict[tuple[str, ...], list[ListedRun]] = {}
    for run in listed:
        groups.setdefault(tuple(getattr(run, column) for column in by), []).append(run)
    with one_thread(), tqdm(total=len(listed) * len(specs), unit="replay", disable=None, leave=False) as bar:
        for name, members in groups.items():
            bar.set_description(" ".join(name))
            runs = [run.read() for run in members]
            if kept is not None:
                kept += runs
            for spec in specs:
                stops.append(replay(runs, [spec], bar.update))
                yield from map(_beside_the_paper, records(summary(stops[-1], by)))


def _beside_the_paper(row: Row) -> Row:
    """The row with what the paper prints, its RYC only beside one by test loss."""
    from hpo_leaderboard.stopping.printed import printed

    paper = printed(row["criterion"], row.get("benchmark"), row.get("optimizer", ""))
    by_test = paper is not None and row["ryc_n"] > 0
    return {**row, "paper_rtc": paper and paper.rtc, "paper_ryc": paper.ryc if paper and by_test else None}


def _default_criteria(has_folds: bool) -> list[str]:
    from hpo_leaderboard.stopping.printed import CROSS_VALIDATION, TABLES

    return [*CROSS_VALIDATION, "cv-regret-bound"] if has_folds else [*TABLES, "regret-bound:0.001"]


def _columns(by: Sequence[str], width: int) -> list[Column]:
    """Means with 95 % intervals, next to what the paper prints."""
    return [
        Column(" ".join(by), lambda row: " ".join(str(row[column]) for column in by), width=18 if len(by) > 1 else 12),
        Column("criterion", "{criterion}", width=width),
        Column("runs", "{n}", right=True),
        Column("stopped", "{stopped:.0%}", right=True),
        Column("stop", "{stop:.1f}", right=True, width=6),
        Column("RTC (paper)", lambda row: f"{row['rtc']:.3f}" + _bracket(row["paper_rtc"], ".3f"), width=13),
        Column("95 %", "{rtc_low:.3f}..{rtc_high:.3f}", width=12),
        Column("RTC time", "{rtc_time:.3f}", right=True),
        Column("RYC (paper)", lambda row: _test_change(row) + _bracket(row["paper_ryc"], "+.3f"), width=16),
        Column(
            "95 %", lambda row: f"{row['ryc_low']:+.4f}..{row['ryc_high']:+.4f}" if row["ryc_n"] > 1 else "", width=16
        ),
        Column("n", "{ryc_n}", right=True, width=4),
        Column("RYC (validation)", lambda row: _signed(row["ryc_validation"]), right=True),
    ]


def _test_change(row: Row) -> str:
    return _signed(row["ryc"]) if row["ryc_n"] else "not recorded"


def _signed(value: float | None) -> str:
    return "unknown" if value is None or value != value else f"{value:+.4f}"


def _bracket(printed: float | None, form: str) -> str:
    return "" if printed is None else f" ({printed:{form}})"


def _write(
    folder: Path, runs: list[RecordedRun], stops: pandas.DataFrame, means: pandas.DataFrame, by: Sequence[Any]
) -> list[Path]:
    from hpo_leaderboard.stopping.pictures import draw_bounds, draw_overfitting, draw_regrets, draw_trade_off, save
    from hpo_leaderboard.stopping.replay import bounds_along

    written = [save(draw_trade_off(means, by), folder / "trade_off.png")]
    for name, frame in (("stops", stops), ("summary", means)):
        written.append(_write_csv(frame, folder / f"{name}.csv"))
    written.append(save(draw_overfitting(runs), folder / "overfitting.png"))
    known = [run for run in runs if run.optimum == run.optimum]  # not NaN
    if known:
        bounds = bounds_along(known, every=max(5, len(known[0].trials) // 25))
        written.append(_write_csv(bounds, folder / "bounds.csv"))
        written.append(save(draw_bounds(bounds), folder / "bounds.png"))
        if (stops["stopped"] & stops["regret"].notna()).any():
            written.append(save(draw_regrets(stops), folder / "regrets.png"))
    return written


def _write_csv(frame: pandas.DataFrame, path: Path) -> Path:
    """The path that a table was written to."""
    from hpo_core.shown_text import csv_frame
    from hpo_core.storage.files import replacing

    with replacing(path) as temporary:
        csv_frame(frame).to_csv(temporary, index=False)
    return path
