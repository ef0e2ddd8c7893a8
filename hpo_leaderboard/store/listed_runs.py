"""`ListedRuns`: the runs of a store without their trials, in few bytes each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hpo_leaderboard.store.file.descriptions import read_setting
from hpo_leaderboard.store.shown_names import Description, shown_names
from hpo_leaderboard.store.store import Store


class ListedRuns(NamedTuple):
    """Runs, in each list one entry for each of them.

    keys       by which they are read
    settings   what their descriptions say but for the seeds, one object for all runs that differ in the seed alone
    seeds      of the suite
    stored     number in the order of storing, among all runs of the store
    n_trials   how many they have
    """

    keys: list[str]
    settings: list[Description]
    seeds: list[int]
    stored: list[int]
    n_trials: list[int]

    def only(self, rows: Sequence[int]) -> ListedRuns:
        """Those in some rows."""
        return ListedRuns._make([column[row] for row in rows] for column in self)

    def names(self) -> list[tuple[str, str]]:
        """Benchmark and optimizer of each run, as they are told apart among these runs."""
        return shown_names(self.settings, self.seeds)

    def by_name(self) -> tuple[ListedRuns, list[tuple[str, str]]]:
        """The runs sorted by the names they are shown under and by seed, and these names."""
        names = self.names()
        order = sorted(range(len(names)), key=lambda i: (*names[i], self.seeds[i]))
        return self.only(order), [names[i] for i in order]


def list_runs(store: Store) -> ListedRuns:
    """The runs of a store, sorted by benchmark, optimizer, seed and key; raises `DamagedFile` for a damaged one."""
    listed = ListedRuns([], [], [], [], [])
    for head in store.heads():
        setting, seed = read_setting(head.description)
        listed.keys.append(head.key)
        listed.settings.append(setting)
        listed.seeds.append(seed)
        listed.stored.append(head.position)
        listed.n_trials.append(head.n_trials)
    ranks = np.empty(len(listed.stored), dtype=np.int64)
    ranks[np.argsort(listed.stored, kind="stable")] = np.arange(len(ranks))
    return listed._replace(stored=ranks.tolist())
