"""Markdown of the reference leaderboards: a page for each family of benchmarks, and one that lists them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from hpo_leaderboard.report import ScoredStore
from hpo_leaderboard.report.figures.comparisons import critical_difference_figure
from hpo_leaderboard.report.figures.curves import regret_figure
from hpo_leaderboard.report.figures.figure import ALL, Figure, Lines, View
from hpo_leaderboard.report.figures.targets import target_figure
from hpo_leaderboard.report.scored.groups import Group
from hpo_leaderboard.report.tables import board_rows, final_regrets, regret_rows
from scripts.site.drawing import write_pictures

MOST_LINES = 9  # of a picture; of more nobody tells them apart
MOST_COLUMNS = 8  # benchmarks of a table
READING = """\
Regret is the noise-free loss of the configuration that a run would return, minus the lowest loss there is. The mean
rank is that of the final regrets, 1 being the best, with a 95 % interval. Regret is the median over benchmarks of the
median over runs. Targets are losses on the way to the optimum. "ms per trial" is the CPU time of the optimizer itself.
[Scores](../scores.md) has the definitions, [leaderboards](../leaderboards.md) says how such runs are made."""


class Chapter(NamedTuple):
    """A page: the name of its file, its title, its benchmarks, and their runs, scored."""

    name: str
    title: str
    benchmarks: list[str]
    scored: ScoredStore


def list_of_chapters(chapters: Sequence[Chapter], source: str) -> str:
    """The page that lists the others; `source` says where the runs are from."""
    rows = [
        f"| [{chapter.title}]({chapter.name}.md) | {len(chapter.benchmarks)} | "
        f"{len({name for group in chapter.scored.groups for name in group.optimizers})} | "
        f"{chapter.scored.methods.n_runs:,} | {chapter.scored.methods.n_trials:,} | "
        f"`{chapter.scored.groups[0].optimizers[0]}` |"
        for chapter in chapters
    ]
    head = ["| page | benchmarks | optimizers | runs | evaluations | best mean rank |", "|---|---|---|---|---|---|"]
    return "\n\n".join(["# Reference leaderboards", source, "\n".join([*head, *rows]), READING]) + "\n"


def chapter_page(chapter: Chapter, pictures: Path, source: str) -> str:
    """A chapter's page, after writing its pictures to a folder; `source` says where the runs are from."""
    parts = [f"# {chapter.title}", source]
    for group in chapter.scored.groups:
        if len(chapter.scored.groups) > 1:
            parts.append(f"## On {_listed(group.benchmarks)}")
        parts += [_runs(group), *_pictures(group, f"{chapter.name}-{group.name}", pictures), _board(group)]
        if len(group.benchmarks) <= MOST_COLUMNS:
            parts += ["Median final regret; the lowest of each benchmark is bold.", _regrets(group)]
    return "\n\n".join([*parts, READING]) + "\n"


def _runs(group: Group) -> str:
    n_seeds = group.runs.groupby(["benchmark", "optimizer"], observed=True).size()
    seeds = f"{n_seeds.min()}" if n_seeds.min() == n_seeds.max() else f"{n_seeds.min()} to {n_seeds.max()}"
    limits = sorted({int(limit) for limit in group.runs["n_trials_limit"].dropna()})
    length = f" A run has {_listed([f'{limit:,}' for limit in limits])} evaluations." if limits else ""
    return (
        f"{len(group.runs):,} runs of {len(group.optimizers)} optimizers on {_listed(group.benchmarks)}: "
        f"{seeds} for each pair.{length}"
    )


def _pictures(group: Group, stem: str, folder: Path) -> Iterator[str]:
    """Markdown of the pictures of a group, after writing them."""
    key = (ALL if len(group.benchmarks) > 1 else group.benchmarks[0], "seconds")
    curves = {(figure.title, *key): _fewer(figure.views[key], group) for figure in _curves(group)}
    write_pictures(curves, folder / f"{stem}-curves")
    few = len(group.optimizers) > MOST_LINES
    yield _picture(f"{stem}-curves", "regret and share of targets reached over the time of the runs")
    yield (
        "Regret (left, relative to the first incumbents) and the share of targets reached (right) over simulated time"
        + (f"; of {len(group.optimizers)} optimizers the best {MOST_LINES - 1} and random search." if few else ".")
    )
    differences = critical_difference_figure(group)
    if isinstance(differences, Figure):
        write_pictures(differences.views, folder / f"{stem}-ranks")
        yield _picture(f"{stem}-ranks", "mean ranks with the critical difference")
        yield differences.caption


def _curves(group: Group) -> tuple[Figure, Figure]:
    return regret_figure(group), target_figure(group)


def _fewer(view: View, group: Group) -> View:
    """Lines of the best optimizers, and of random search."""
    if not isinstance(view, Lines) or len(view.lines) <= MOST_LINES:
        return view
    others = [name for name in group.optimizers if name != "rs"]
    shown = {*others[: MOST_LINES - 1], "rs"}
    return view._replace(lines=[line for line in view.lines if line.optimizer in shown])


def _picture(stem: str, words: str) -> str:
    return (
        f'<picture>\n<source media="(prefers-color-scheme: dark)" srcset="pictures/{stem}-dark.svg">\n'
        f'<img src="pictures/{stem}.svg" alt="{words}">\n</picture>'
    )


def _board(group: Group) -> str:
    head = "| | optimizer | mean rank | 95 % | regret | targets reached | ms per trial | runs |"
    rows = [
        f"| {row.position} | `{row.optimizer}` | {row.rank} | {row.rank_interval.strip('[]').replace(', ', '..')} | "
        f"{row.regret} | {row.reached} | {row.overhead} | {row.n_runs} |"
        for row in board_rows(group)
    ]
    return "\n".join([head, "|--:|---|--:|--:|--:|--:|--:|--:|", *rows])


def _regrets(group: Group) -> str:
    columns = regret_rows(group, final_regrets(group))
    head = f"| optimizer | {' | '.join(benchmark for benchmark, _ in columns)} |"
    rows = [
        f"| `{optimizer}` | " + " | ".join(f"**{c.text}**" if c.best else c.text for c in cells) + " |"
        for optimizer, cells in zip(group.optimizers, zip(*(own for _, own in columns), strict=True), strict=True)
    ]
    return "\n".join([head, "|---|" + "--:|" * len(columns), *rows])


def _listed(names: Sequence[str], n: int = 4) -> str:
    """Names in a sentence, of many the first ones."""
    if len(names) > n + 1:
        return f"{', '.join(names[:n])} and {len(names) - n} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
