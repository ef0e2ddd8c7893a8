"""A problem for tests of the report, found by experiments under `report_problems:NAME`."""

from hpo_core import Float, SimpleProblem, Space


def hopeless():
    """A problem of which every evaluation fails."""

    def evaluate(config, budget, seed):
        raise RuntimeError("diverged")

    return SimpleProblem("hopeless", Space([Float("x", 0.0, 1.0)]), evaluate, optimum=0.0)
