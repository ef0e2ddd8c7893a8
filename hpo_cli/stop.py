"""`hpo stop replay`: stopping criteria on recorded runs."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_cli.parts.arguments import Parser, comma_list
from hpo_cli.parts.rendering import Column, Output, Row, add_formats, records

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.stopping.recorded_runs import RecordedRun

EXAMPLES = """\
examples:
  hpo stop replay runs.csv.gz                                   the criteria of Makarova et al. (2022), and ours
  hpo stop replay leaderboard/quick.sqlite --criteria conv:30 "regret-bound:0.001"
  hpo stop replay runs.csv.gz --criteria cv-regret-bound "cv-regret-bound:variant=paper" --out pictures

A criterion is written NAME:VALUE,OPTION=VALUE and joined with | and &; `hpo criteria` lists them. RTC is the share of
the trials (RTC time: of the seconds) that stopping saves, RYC the relative change of the test loss, below 0 if it got
worse; in brackets stands what the paper prints. A group of runs is printed when the last of them was replayed.
"""
BY = ("benchmark", "optimizer")
OTHER_NAMES = {"dataset": "benchmark", "method": "optimizer"}  # of columns, accepted by --by


def add_replay(parser: Parser) -> None:
    parser.explain(
        "When criteria would have stopped recorded runs, what that saves (RTC) and what it costs (RYC).", EXAMPLES
    )
    parser.add_argument("runs", type=Path, metavar="RUNS", help="a store, or a table of trials (.csv, .csv.gz)")
    parser.add_argument(
        "--criteria", nargs="+", metavar="C", help="criteria (those of the paper, and ours)", complete="criteria"
    )
    parser.add_argument("--by", type=comma_list, metavar="A,B", help=f"columns to average within: {', '.join(BY)}")
    parser.add_argument("--benchmarks", "--datasets", type=comma_list, metavar="A,B", help="only these")
    parser.add_argument("--optimizers", "--methods", type=comma_list, metavar="A,B", help="only these")
    parser.add_argument("--seeds", type=int, metavar="N", help="only the first N seeds of each")
    parser.add_argument("--out", type=Path, metavar="DIR", help="directory for tables and pictures")
    add_formats(parser)
    parser.set_defaults(action=_replay)


def _replay(options: argparse.Namespace, out: Output) -> None:
    import pandas as pd

    from hpo_core.errors import InvalidOption
    from hpo_leaderboard.stopping.recorded_runs import read_runs
    from hpo_leaderboard.stopping.scores import summary

    runs = _chosen(read_runs(options.runs), options)
    has_folds = all("folds" in run.trials[0].result.info for run in runs)
    by = [OTHER_NAMES.get(name, name) for name in options.by or (BY[1:] if has_folds else BY)]
    unknown = set(by) - set(BY)
    if unknown:
        raise InvalidOption(f"--by takes {' and '.join(BY)}, got {', '.join(sorted(unknown))}")
    specs = options.criteria or _default_criteria(has_folds)
    stops: list[pandas.DataFrame] = []
    out.table(_columns(by, max(map(len, specs))), _rows(runs, specs, by, stops))
    if options.out is not None:
        together = pd.concat(stops, ignore_index=True)
        for path in _write(options.out, runs, together, summary(together, by), by):
            out.say(f"wrote {path}")


def _rows(
    runs: Sequence[RecordedRun], specs: Sequence[str], by: Sequence[str], stops: list[pandas.DataFrame]
) -> Iterator[Row]:
    """Scores of each criterion on a group of runs, once all of them are replayed; the stops of each go into `stops`."""
    import pandas as pd
    from tqdm import tqdm

    from hpo_leaderboard.engines.threads import one_thread
    from hpo_leaderboard.stopping.printed import printed
    from hpo_leaderboard.stopping.replay import replay
    from hpo_leaderboard.stopping.scores import summary

    groups = [tuple(getattr(run, column) for column in by) for run in runs]
    left = Counter(groups)
    with one_thread(), tqdm(total=len(runs), unit="run", disable=None, leave=False) as bar:
        for run, group in zip(runs, groups, strict=True):
            stops.append(replay([run], specs))
            bar.update()
            left[group] -= 1
            if left[group]:
                continue
            members = [part for part, other in zip(stops, groups, strict=False) if other == group]
            for row in records(summary(pd.concat(members, ignore_index=True), by)):
                paper = printed(row["criterion"], row.get("benchmark"), row.get("optimizer", ""))
                yield {**row, "paper_rtc": paper and paper.rtc, "paper_ryc": paper and paper.ryc}


def _chosen(runs: list[RecordedRun], options: argparse.Namespace) -> list[RecordedRun]:
    from hpo_core.errors import InvalidOption

    if options.benchmarks is not None:
        runs = [run for run in runs if run.benchmark in options.benchmarks]
    if options.optimizers is not None:
        runs = [run for run in runs if run.optimizer in options.optimizers]
    if options.seeds is not None:
        first = sorted({run.seed for run in runs})[: options.seeds]
        runs = [run for run in runs if run.seed in first]
    if not runs:
        raise InvalidOption(f"no run of {options.runs} is left by --benchmarks, --optimizers and --seeds")
    return runs


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
        Column("RYC (paper)", lambda row: f"{row['ryc']:+.4f}" + _bracket(row["paper_ryc"], "+.3f"), width=16),
        Column("95 %", "{ryc_low:+.4f}..{ryc_high:+.4f}", width=16),
    ]


def _bracket(printed: float | None, form: str) -> str:
    return "" if printed is None else f" ({printed:{form}})"


def _write(
    folder: Path, runs: list[RecordedRun], stops: pandas.DataFrame, means: pandas.DataFrame, by: Sequence[Any]
) -> list[Path]:
    from hpo_leaderboard.stopping.pictures import draw_bounds, draw_overfitting, draw_regrets, draw_trade_off, save
    from hpo_leaderboard.stopping.replay import bounds_along

    written = [save(draw_trade_off(means, by), folder / "trade_off.png")]
    for name, frame in (("stops", stops), ("summary", means)):
        written.append(folder / f"{name}.csv")
        frame.to_csv(written[-1], index=False)
    written.append(save(draw_overfitting(runs), folder / "overfitting.png"))
    known = [run for run in runs if run.optimum == run.optimum]  # not NaN
    if known:
        bounds = bounds_along(known, every=max(5, len(known[0].trials) // 25))
        written.append(folder / "bounds.csv")
        bounds.to_csv(written[-1], index=False)
        written.append(save(draw_bounds(bounds), folder / "bounds.png"))
        if (stops["stopped"] & stops["regret"].notna()).any():
            written.append(save(draw_regrets(stops), folder / "regrets.png"))
    return written
