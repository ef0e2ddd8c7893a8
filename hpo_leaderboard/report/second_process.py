"""`SecondProcess`: a child process that draws some figures of a large report while this process draws the others.

As with the workers of an engine, the child is a fresh interpreter: the caller's main module is not imported again, so a
script without a guard and a notebook work too. It gets the environment of this process, and with it as many threads of
numpy: sums come out the same in both. Where it cannot be started, dies or fails, this process does all of the work.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread

from hpo_leaderboard.engines.worker import worker_environment
from hpo_leaderboard.report.figures.files import FIGURES, Drawn, draw_figure
from hpo_leaderboard.report.figures.palette import Style
from hpo_leaderboard.report.packing import packed_plotly
from hpo_leaderboard.report.scored.groups import Group, with_slices, without_slices

Task = tuple[int, int]  # number of the group, and of the figure in `FIGURES`
SHORT = ("rank_figure", "profile_figure", "critical_difference_figure", "overhead_figure")


class SecondProcess:
    """A child process; it starts at once, and loads its packages while this process does something else."""

    def __init__(self) -> None:
        self._connection, child_end = Pipe()
        descriptor = child_end.fileno()
        command = f"from hpo_leaderboard.report.second_process import serve; serve({descriptor})"
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,  # what goes wrong there is done again here, and said here
                env={**os.environ, "PYTHONPATH": worker_environment()["PYTHONPATH"]},
                pass_fds=(descriptor,),
            )
        except BaseException:
            self._connection.close()
            raise
        finally:
            child_end.close()

    def begin(self, groups: Sequence[Group], out: Path, look: Mapping[str, Style]) -> str:
        """The packed drawing library, after telling the process what the report is about."""
        plotly = self._connection.recv()
        self._connection.send(([without_slices(group) for group in groups], out, dict(look)))
        return plotly

    def draw(self, task: Task) -> Drawn | None:
        """A figure that the process drew, None if it could not."""
        self._connection.send(task)
        return self._connection.recv()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        self._connection.close()


@contextmanager
def second_process(wanted: bool) -> Iterator[SecondProcess | None]:
    """A second process, if one is wanted; None also where there is one core only or none can be started."""
    second = _started() if wanted and _n_cores() > 1 else None
    try:
        yield second
    finally:
        if second is not None:
            second.close()


def _n_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _started() -> SecondProcess | None:
    try:
        return SecondProcess()
    except (OSError, ValueError, AssertionError):  # no room for it, or a system without `pass_fds`
        return None


def draw_figures(
    groups: Sequence[Group], out: Path, look: Mapping[str, Style], second: SecondProcess | None
) -> tuple[list[list[Drawn]], str]:
    """Figures of each group, after writing their files, and the packed drawing library.

    Both processes take the next figure when they are free, long ones first, so that both end at about the same time.
    """
    by_length = sorted(range(len(FIGURES)), key=lambda number: FIGURES[number].__name__ in SHORT)
    waiting = deque((group, figure) for group in range(len(groups)) for figure in by_length)
    tasks, done, plotly = sorted(waiting), dict[Task, Drawn](), list[str]()

    def draw(task: Task) -> None:
        group = groups[task[0]]
        done[task] = draw_figure(group, task[1], out / group.name, look)

    def draw_there(second: SecondProcess) -> None:
        try:
            plotly.append(second.begin(groups, out, look))
            while (task := _next(waiting)) is not None:
                drawn = second.draw(task)
                if drawn is not None:
                    done[task] = drawn
        except (EOFError, OSError):
            pass  # it died: what it had taken is drawn here

    thread = Thread(target=draw_there, args=(second,), daemon=True) if second is not None else None
    if thread is not None:
        thread.start()
    while (task := _next(waiting)) is not None:
        draw(task)
    if thread is not None:
        thread.join()
    for task in tasks:
        if task not in done:
            draw(task)
    figures = [[done[i, j] for j in range(len(FIGURES))] for i in range(len(groups))]
    return figures, plotly[0] if plotly else packed_plotly()


def _next(waiting: deque[Task]) -> Task | None:
    try:
        return waiting.popleft()
    except IndexError:
        return None


def serve(descriptor: int) -> None:
    """Draw figures that are asked for through a socket until its other end is closed. Runs in the child."""
    for module in ("matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg", "pandas", "scipy.stats"):
        import_module(module)  # now, while the parent reads the store
    connection = Connection(descriptor)
    try:
        connection.send(packed_plotly())
        sent, out, look = connection.recv()
        groups = [with_slices(group) for group in sent]
        while True:
            group, figure = connection.recv()
            connection.send(_drawn(groups[group], figure, out, look))
    except (EOFError, OSError):  # the parent is done, or was killed
        return


def _drawn(group: Group, number: int, out: Path, look: Mapping[str, Style]) -> Drawn | None:
    try:
        return draw_figure(group, number, out / group.name, look)
    except Exception:
        return None  # the parent tries too, and says what is wrong
