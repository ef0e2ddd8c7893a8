"""`hpo criteria` and `hpo stop replay`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_core.errors import InvalidOption

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.stopping.recorded_runs import RecordedRun

EXAMPLES = """\
examples:
  hpo stop replay runs.csv.gz                                   the criteria of the paper, and ours
  hpo stop replay leaderboard/quick.sqlite --criteria conv:30 "regret-bound:0.001"
  hpo stop replay runs.csv.gz --criteria cv-regret-bound "cv-regret-bound:variant=paper" --out pictures

A criterion is written NAME:VALUE,OPTION=VALUE and joined with | and &; docs/stopping.md explains them all.
"""
OTHER_NAMES = {"dataset": "benchmark", "method": "optimizer"}  # of columns, accepted by --by


def add(subcommands: Any) -> None:
    listing = subcommands.add_parser(
        "criteria",
        help="names of the stopping criteria",
        description="Names of the stopping criteria, with one line and the paper each.",
        epilog='Use a name as in `hpo run protein tpe --stop "regret-bound:0.001"`; docs/stopping.md has more.',
    )
    listing.set_defaults(action=_criteria)
    command = subcommands.add_parser(
        "stop",
        help="replay stopping criteria on recorded runs",
        description="When criteria would have stopped recorded runs, what that saves (RTC) and what it costs (RYC).",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = command.add_subparsers(dest="action_name", metavar="ACTION", required=True)
    words = "stops and scores of criteria"
    action = actions.add_parser("replay", help=words, description=words.capitalize() + ".")
    action.add_argument("runs", type=Path, metavar="RUNS", help="a store, or a table of trials (.csv, .csv.gz)")
    action.add_argument("--criteria", nargs="+", metavar="C", help="criteria (those of the paper, and ours)")
    action.add_argument("--by", type=_names, metavar="A,B", help="columns to average within: benchmark, optimizer")
    action.add_argument("--benchmarks", "--datasets", type=_names, metavar="A,B", help="only these")
    action.add_argument("--optimizers", "--methods", type=_names, metavar="A,B", help="only these")
    action.add_argument("--seeds", type=int, metavar="N", help="only the first N seeds of each")
    action.add_argument("--out", type=Path, metavar="DIR", help="directory for tables and pictures")
    action.set_defaults(action=_replay)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _criteria(options: argparse.Namespace) -> None:
    from hpo_core.names import criteria

    for name, entry in criteria().items():
        print(f"{name:<16} {entry.summary}{f'; {entry.paper}' if entry.paper else ''}")


def _replay(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from hpo_leaderboard.stopping.recorded_runs import read_runs
    from hpo_leaderboard.stopping.replay import replay
    from hpo_leaderboard.stopping.scores import summary

    runs = _chosen(read_runs(options.runs), options)
    has_folds = all("folds" in run.trials[0].result.info for run in runs)
    usual = ["optimizer"] if has_folds else ["benchmark", "optimizer"]
    by = [OTHER_NAMES.get(name, name) for name in options.by or usual]
    unknown = set(by) - {"benchmark", "optimizer"}
    if unknown:
        raise InvalidOption(f"--by takes benchmark and optimizer, got {', '.join(sorted(unknown))}")
    with tqdm(total=len(runs), unit="run", disable=None, leave=False) as bar:
        stops = replay(runs, options.criteria or _default_criteria(has_folds), progress=bar.update)
    means = summary(stops, by)
    print(text_table(means, by))
    if options.out is not None:
        for path in _write(options.out, runs, stops, means, by):
            print(f"wrote {path}")


def _chosen(runs: list[RecordedRun], options: argparse.Namespace) -> list[RecordedRun]:
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


def text_table(means: pandas.DataFrame, by: list[str]) -> str:
    """Means with 95 % intervals as text, next to what the paper prints."""
    from hpo_leaderboard.stopping.printed import printed

    wide = max(len(str(name)) for name in means["criterion"])
    head = f"{' '.join(by):<24} {'criterion':<{wide}} {'runs':>5} {'stopped':>8} {'stop':>6}"
    lines = [f"{head} {'RTC (paper)':>15} {'95 %':>13} {'RTC time':>9} {'RYC (paper)':>17} {'95 %':>17}"]
    for row in means.to_dict("records"):
        paper = printed(row["criterion"], row.get("benchmark"), row.get("optimizer", ""))
        rtc = f"{row['rtc']:.3f} " + (f"({paper.rtc:.3f})" if paper else " " * 7)
        ryc = f"{row['ryc']:+.4f} " + (f"({paper.ryc:+.3f})" if paper else " " * 8)
        group = " ".join(str(row[column]) for column in by)
        lines.append(
            f"{group:<24} {row['criterion']:<{wide}} {row['n']:>5} {row['stopped']:>8.0%} {row['stop']:>6.1f} "
            f"{rtc:>15} {row['rtc_low']:>6.3f}..{row['rtc_high']:.3f} {row['rtc_time']:>9.3f} {ryc:>17} "
            f"{row['ryc_low']:>+8.4f}..{row['ryc_high']:+.4f}"
        )
    return "\n".join(lines)


def _write(
    folder: Path, runs: list[RecordedRun], stops: pandas.DataFrame, means: pandas.DataFrame, by: list[str]
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
