"""Engine that executes jobs one after another in this process: nothing to set up, and a debugger can follow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hpo_core.errors import InvalidOption
from hpo_leaderboard.engines.threads import one_thread
from hpo_leaderboard.experiments.code.code_digest import edited_modules
from hpo_leaderboard.experiments.execution import FinishedRun, execute
from hpo_leaderboard.experiments.job import Job


class SerialEngine:
    """Jobs in their order. A run that hangs hangs it, one that crashes the interpreter ends it."""

    def results(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, FinishedRun]]:
        edited = edited_modules()
        if edited:
            raise InvalidOption(
                f"the engine `serial` runs what this process has loaded, and {', '.join(edited)} was edited since; "
                "start Python again, load it again (importlib.reload), or use the engine `processes`"
            )
        with one_thread():
            for job in jobs:
                yield job, execute(job)
