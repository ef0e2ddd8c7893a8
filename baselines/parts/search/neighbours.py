"""Neighbours of rows of features (`hpo_models.features`): one step away, in one hyperparameter.

Every row is that of a configuration of the space: what a step switches off is settled (`Features.settle`), and what it
makes forbidden is left out. In a space with a list the neighbours of a row are the nearest other ones.
"""

from __future__ import annotations

import numpy as np

from hpo_models.features import Features
from hpo_models.listed_rows import ListedRows

STD = 0.2  # of a float's steps
LISTED_NEIGHBOURS = 2  # for each hyperparameter
MOST_NEIGHBOURS = 200  # of a row that are looked at


def neighbours(features: Features, rows: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows (k, width) one step away: every other value of a categorical, the next values of an ordinal or int.

    A float makes four Gaussian steps of standard deviation 0.2 (Hutter et al., 2011, section 4.3). What is switched off
    makes no step, and what a step switches on has its default. A row without neighbours is its own. Of more than 200
    neighbours, as with 100 floats or a categorical of 1,000 values, 200 random ones are returned.

    Parameters
    ----------
    features
        Of the space.
    rows
        (n, width) rows.
    rng
        Source of randomness, for the steps of floats.

    Returns
    -------
    tuple of ndarray
        (k, width) neighbours and (k,) indices of the rows that they are of, ascending.
    """
    if features.listed is not None:
        found, owners = _around(features.listed, rows, LISTED_NEIGHBOURS * len(features.first_columns))
    elif len(features.one_step.owners) <= MOST_NEIGHBOURS:
        found, owners = _one_step_away(features, rows, rng)
    else:
        parts = [_one_step_away(features, row[None], rng)[0] for row in rows]
        found, owners = np.concatenate(parts), np.repeat(np.arange(len(rows)), [len(part) for part in parts])
    alone = np.flatnonzero(np.bincount(owners, minlength=len(rows)) == 0)
    if not len(alone):
        return found, owners
    owners = np.concatenate([owners, alone])
    order = np.argsort(owners, kind="stable")
    return np.concatenate([found, rows[alone]])[order], owners[order]


def _around(listed: ListedRows, rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k rows of a list nearest to each row, and indices of the rows."""
    parts = [listed.around(row, k) for row in rows]
    return np.concatenate(parts), np.repeat(np.arange(len(rows)), [len(part) for part in parts])


def _one_step_away(features: Features, rows: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Configurations that differ from rows in a hyperparameter that is active there, and indices of the rows.

    At most 200 for a single row; all for several rows.
    """
    owners, columns, lengths, limits = features.one_step
    steps, active = np.repeat(lengths[None], len(rows), axis=0), np.isnan(lengths)[None]
    if features.conditional:
        is_on = features.present(rows)[:, columns]
        active = active & is_on
    drawn = np.broadcast_to(active, steps.shape)
    steps[drawn] = STD * rng.standard_normal(np.count_nonzero(drawn))
    moved = rows[:, columns] + steps
    valid = (moved > 0.0) & (moved < limits)  # False where nothing was drawn
    if features.conditional:
        valid &= is_on
    row, move = np.nonzero(valid)
    if len(rows) == 1 and len(move) > MOST_NEIGHBOURS:
        some = rng.choice(len(move), MOST_NEIGHBOURS, replace=False)
        row, move = row[some], move[some]
    found = rows[row]
    switched = np.flatnonzero(owners[move] >= features.n_numeric)
    category = owners[move[switched]]
    codes = features.codes(rows)[row[switched], category - features.n_numeric]
    found[switched, features.first_columns[category] + codes] = 0.0
    found[np.arange(len(move)), columns[move]] = moved[row, move]
    found[:, : features.n_numeric] = features.snap(found[:, : features.n_numeric])
    found = features.settle(found)
    if features.constrained:
        allowed = features.allowed(found)
        return found[allowed], row[allowed]
    return found, row
