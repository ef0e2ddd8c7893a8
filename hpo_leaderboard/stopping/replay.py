"""Stopping criteria on recorded runs: when each would have stopped, and what that would have saved and cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from baselines.stopping import criterion
from baselines.stopping.parts.regret import Bound
from hpo_core import Trial
from hpo_core.running.incumbent import trajectory
from hpo_core.running.joined import Criterion, status_of
from hpo_leaderboard.stopping.recorded_runs import RUN, RecordedRun
from hpo_leaderboard.stopping.scores import SCORES, relative_change, relative_saving

if TYPE_CHECKING:
    import pandas

COLUMNS = (*RUN, "criterion", "stopped", "stop", "n", *SCORES, "regret", "reason")


class RecordedBounds:
    """Bounds that were recorded with a run, in place of a model's, entry t on the first t trials."""

    def __init__(self, values: np.ndarray):
        self._values = values

    def __call__(self, trials: Sequence[Trial]) -> Bound:
        """The bound on the regret after the completed trials, inf where none was recorded."""
        value = float(self._values[len(trials)]) if len(trials) < len(self._values) else math.nan
        return Bound(math.inf, "no bound was recorded") if math.isnan(value) else Bound(value, "")


def stop_of(rule: Criterion, trials: Sequence[Trial]) -> tuple[int, str | None]:
    """Number of trials after which a criterion stops a run, with its reason; all of them and None if it never does.

    A criterion that first stops after the very last trial has saved nothing and counts as never.
    """
    for n in range(1, len(trials)):
        reason = rule(trials[:n])
        if reason is not None:
            return n, reason
    return len(trials), None


def replay(
    runs: Iterable[RecordedRun], specs: Sequence[str], progress: Callable[[], Any] | None = None
) -> pandas.DataFrame:
    """Stop and scores of every criterion on every run, a row each, with the columns `COLUMNS`.

    `specs` are texts that `baselines.criterion` reads. `ryc` is by test loss and NaN where that of an incumbent was not
    recorded, `ryc_validation` by validation loss. `regret` is how far the incumbent's validation loss, without noise
    where that is known, lay above the optimum at the stop, NaN where the optimum is not known. `progress` is called
    after each run.
    """
    import pandas as pd

    rows = []
    for run in runs:
        for spec in specs:
            rule = criterion(spec, run.space)
            n_trials, reason = stop_of(rule, run.trials)
            words = reason or f"never; at the end {status_of(rule, run.trials)}"
            rows.append(scored(run, spec, n_trials, words, reason is not None))
        if progress is not None:
            progress()
    return pd.DataFrame(rows, columns=list(COLUMNS))


def scored(run: RecordedRun, name: str, n_trials: int, reason: str, stopped: bool) -> dict[str, Any]:
    """Scores of stopping a run after a number of trials, as a row of `replay`.

    Parameters
    ----------
    run
        The run, to its end.
    name
        Of the criterion.
    n_trials
        Trials completed at the stop.
    reason
        Why it stopped, or why it did not, in words.
    stopped
        Whether the criterion stopped the run before its end.
    """
    path = trajectory(run.trials)
    final, at_stop = int(path.indices[-1]), int(path.indices[n_trials - 1])
    known = final >= 0 and at_stop >= 0
    changes = [relative_change(of[final], of[at_stop]) if known else math.nan for of in (run.test, run.validation)]
    ends = np.maximum.accumulate(path.ends)
    return {
        "benchmark": run.benchmark,
        "optimizer": run.optimizer,
        "seed": run.seed,
        "criterion": name,
        "stopped": stopped,
        "stop": n_trials,
        "n": len(run.trials),
        "ryc": changes[0],
        "ryc_validation": changes[1],
        "rtc": relative_saving(len(run.trials), n_trials),
        "rtc_time": relative_saving(float(ends[-1]), float(ends[n_trials - 1])),
        "regret": (float(run.validation[at_stop]) if at_stop >= 0 else math.inf) - run.optimum,
        "reason": reason,
    }


def bounds_along(runs: Iterable[RecordedRun], every: int = 5, first: int = 20) -> pandas.DataFrame:
    """Bound on the regret along each run next to the true regret, a row per run and check.

    Columns: benchmark, optimizer, seed, evaluation (number of completed trials), bound, regret (NaN where it is not
    known).
    """
    import pandas as pd

    rows = []
    for run in runs:
        rule: Any = criterion("regret-bound", run.space, threshold=1.0)
        incumbents = trajectory(run.trials).indices
        for n in range(first, len(run.trials) + 1, every):
            at = int(incumbents[n - 1])
            regret = (float(run.validation[at]) if at >= 0 else math.inf) - run.optimum
            bound = rule.bound(run.trials[:n])
            rows.append((run.benchmark, run.optimizer, run.seed, n, bound, regret))
    return pd.DataFrame(rows, columns=[*RUN, "evaluation", "bound", "regret"])
