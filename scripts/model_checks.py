"""Checks of the model-based optimizers: `python scripts/check_quality.py --models`, half an hour.

    tables       `bore` not worse than the recorded BORE; `gp`, `smac` and `bore` better than random search, after 50,
                 100 and 200 evaluations; `gp` and `smac` better than the recorded TPE after 50
    functions    the three of fig. 3.3 of Klein (2020), after 100 evaluations: `gp` better than the forest and than both
                 networks

By default there are 200 runs of random search, 100 runs of 50 evaluations against the recorded TPE, and 20 of all
others; with `--seeds N` 10 N, 5 N and N. Other scripts check `mtbo` and `fabolas` (`check_models.py`), learning curves
(`check_curves.py`) and the Bayesian neural network as a regression (`check_bnn.py`).

Klein (2020) shows means over 50 runs as curves, without numbers in the text. The text says that Gaussian processes are
best on these functions, and that BOHAMIANN is better than DNGO (section 3.6.1, app. A.1, two initial points).
"""

from __future__ import annotations

from regret_checks import Check, Recorded, against_recorded, beats

TABLES, MARKS = ("protein", "naval"), (50, 100, 200)
FUNCTIONS, N_EVALUATIONS = ("branin", "hartmann3", "hartmann6"), 100


def runs(optimizer: str, n_seeds: int) -> int:
    """Runs of an optimizer for a number of seeds."""
    return 10 * n_seeds if optimizer == "rs" else n_seeds


def model_checks(recorded: dict[tuple[str, str, int], Recorded]) -> list[Check]:
    """The lines of the table."""
    tables = [(benchmark, step) for benchmark in TABLES for step in MARKS]
    last = MARKS[-1]
    return [
        *(against_recorded("bore", b, n, recorded["bore", b, n], "not worse", last) for b, n in tables),
        *(
            _times(5, against_recorded(model, b, 50, recorded["tpe", b, 50], "better", 50))
            for model in ("gp", "smac")
            for b in TABLES
        ),
        *(beats(model, "rs", b, n, last, runs) for model in ("gp", "smac", "bore") for b, n in tables),
        *(
            beats("gp", other, function, N_EVALUATIONS, N_EVALUATIONS, runs)
            for function in FUNCTIONS
            for other in ("rs", "smac", "dngo", "bohamiann")
        ),
        *(beats("bohamiann", "dngo", function, N_EVALUATIONS, N_EVALUATIONS, runs) for function in FUNCTIONS),
    ]


def _times(k: int, check: Check) -> Check:
    """The check with k times the runs."""
    return check._replace(measure=lambda n_seeds: check.measure(k * n_seeds))
