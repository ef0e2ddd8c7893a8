"""`conv`: stop when the incumbent has stayed the same for some trials (Conv-i of Makarova et al., 2022, section 4).

The paper's numbers (table 3: at most .850 of the iterations saved by Conv-10) say that there the counting begins after
the iterations in which no criterion was asked, 20 with cross-validation and 5 on the tables: `warm_up`.
"""

from __future__ import annotations

from collections.abc import Sequence

from baselines.stopping.parts.option_checks import whole
from hpo_core.running.incumbent import trajectory
from hpo_core.running.joined import all_of, any_of
from hpo_core.running.trial import Trial
from hpo_core.space import Space


class Convergence:
    """Stops once the last `patience` trials brought no better incumbent; failed trials count.

    Parameters
    ----------
    patience
        Number of trials, i in the paper.
    warm_up
        Number of first trials that do not count towards the patience.
    """

    def __init__(self, space: Space, patience: int = 50, *, warm_up: int = 0):
        self.patience = whole("patience", patience, 1)
        self.warm_up = whole("warm_up", warm_up, 0)

    def __call__(self, trials: Sequence[Trial]) -> str | None:
        return self.status(trials) if self._unchanged(trials) >= self.patience else None

    def status(self, trials: Sequence[Trial]) -> str:
        """How long the incumbent has stayed the same."""
        return f"conv: no better loss in the last {self._unchanged(trials)} trials, patience {self.patience}"

    def _unchanged(self, trials: Sequence[Trial]) -> int:
        """Trials since the incumbent was found, or since the end of the warm-up if that was later; 0 without one."""
        index = int(trajectory(trials).indices[-1]) if trials else -1
        return max(0, len(trials) - max(index + 1, self.warm_up)) if index >= 0 else 0

    __or__ = any_of
    __and__ = all_of
