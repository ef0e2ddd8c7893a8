"""Optimizers that never left their random phase: under their names stands random search."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas


def only_random(runs: pandas.DataFrame) -> list[str]:
    """Names of the optimizers all of whose proposals were random in every run, sorted.

    `runs` is the frame `runs` of a store. Optimizers that do not say how many proposals were random, such as random
    search, are not named.
    """
    finished = runs[runs["n_trials"] > 0]
    without_model = (finished["n_random"] >= finished["n_trials"]).groupby(finished["optimizer"]).all()
    return sorted(without_model.index[without_model])


def random_phase_line(optimizer: str) -> str:
    """What is said about an optimizer that `only_random` names."""
    return f"{optimizer} never left its random phase: it is random search here; give it more evaluations"
