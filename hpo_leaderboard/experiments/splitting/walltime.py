"""`Walltime`: an end before which an experiment has to be over, as on a cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

from hpo_leaderboard.experiments.job import Job
from hpo_leaderboard.experiments.splitting.estimates import estimate

CAUTION = 2.0  # how much longer than its estimate the first run of a pair may take


class Walltime:
    """Starts no run that is expected to end too late; those that were started are finished.

    A run is expected to take as long as the longest run of the same optimizer on the same benchmark so far, and the
    first one twice its estimate.

    Parameters
    ----------
    seconds
        Until the end, from now on; None for no end.
    now
        The clock, in seconds.
    """

    def __init__(self, seconds: float | None, now: Callable[[], float] = time.monotonic):
        self._now = now
        self._end = None if seconds is None else now() + seconds
        self._started: dict[str, float] = {}
        self._longest: dict[tuple[str, str], float] = {}
        self.n_left = 0

    def in_time(self, jobs: Iterable[Job]) -> Iterator[Job]:
        """Those of the jobs that are expected to end in time, each looked at when an engine asks for the next one.

        `n_left` counts the others.
        """
        for job in jobs:
            if self._end is not None and self._now() + self._expected(job) > self._end:
                self.n_left += 1
                continue
            self._started[job.key] = self._now()
            yield job

    def finished(self, job: Job) -> None:
        """Take note that a run is over."""
        seconds = self._now() - self._started.pop(job.key)
        self._longest[_pair(job)] = max(seconds, self._longest.get(_pair(job), 0.0))

    def _expected(self, job: Job) -> float:
        longest = self._longest.get(_pair(job))
        return CAUTION * estimate(job).seconds if longest is None else longest


def _pair(job: Job) -> tuple[str, str]:
    return job.benchmark.label, job.optimizer.label
