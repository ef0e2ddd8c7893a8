"""`Jobs`: the jobs of a plan as a sequence that makes each when it is asked for: a million take few megabytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from hpo_leaderboard.experiments.job import Job, key_by_seeds
from hpo_leaderboard.experiments.run_seeds import run_seed


class Jobs(Sequence[Job]):
    """Jobs that go seed by seed through all pairs of benchmark and optimizer.

    Parameters
    ----------
    pairs
        A job of each pair, with any seed.
    seeds
        Of the suite.
    numbers
        (n,) which of these jobs, by their number in this order; None for all.
    """

    def __init__(self, pairs: Sequence[Job], seeds: range, numbers: np.ndarray | None = None):
        self.pairs = tuple(pairs)
        self._seeds = seeds
        self._numbers = np.arange(len(self.pairs) * len(seeds)) if numbers is None else numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Job: ...
    @overload
    def __getitem__(self, index: slice) -> Jobs: ...
    def __getitem__(self, index: int | slice) -> Job | Jobs:
        if isinstance(index, slice):
            return self.only(index)
        seed, pair = divmod(int(self._numbers[index]), len(self.pairs))
        return self.pairs[pair].with_seed(self._seeds[seed])

    def only(self, rows: np.ndarray | slice) -> Jobs:
        """Those in some rows, or those whose (n,) flags are true."""
        return Jobs(self.pairs, self._seeds, self._numbers[rows])

    def first_seeds(self, n_seeds: Sequence[int]) -> Jobs:
        """Those of each pair with the first of the seeds, as many as given for the pair."""
        return self.only(self._numbers // len(self.pairs) < np.asarray(n_seeds)[self.pair_of_each()])

    def pair_of_each(self) -> np.ndarray:
        """(n,) index in `pairs` of each job."""
        return self._numbers % len(self.pairs)

    def each_key(self) -> Iterator[str]:
        """Their keys, in a tenth of the time that making the jobs takes."""
        keys = [key_by_seeds(pair) for pair in self.pairs]
        benchmarks = [pair.benchmark for pair in self.pairs]
        current, run_seeds = -1, dict[str, int]()  # of the benchmarks by label, with the current seed
        for number in map(int, self._numbers):
            row, pair = divmod(number, len(self.pairs))
            if row != current:
                current, run_seeds = row, {}
            seed, benchmark = self._seeds[row], benchmarks[pair]
            if benchmark.label not in run_seeds:
                run_seeds[benchmark.label] = run_seed(seed, benchmark.name, benchmark.options)
            yield keys[pair](run_seeds[benchmark.label], seed)
