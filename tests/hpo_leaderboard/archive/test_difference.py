"""Which optimizers became better or worse, where that is known."""

import numpy as np
import pandas as pd
import pytest
from small_archives import archive_file, run_store

from hpo_core.errors import InvalidOption
from hpo_leaderboard.archive.difference import ALPHA, compare_releases, difference


def values(rng, shifts, n_benchmarks=4, n_seeds=10):
    """Final regrets of optimizers in two releases; the new one's are shifted by deviations, each in its own way."""
    rows = [
        (f"b{b}", f"m{m}", release, seed, rng.normal() + (shift if release == "new" else 0.0))
        for m, shift in enumerate(shifts)
        for b in range(n_benchmarks)
        for release in ("old", "new")
        for seed in range(n_seeds)
    ]
    names = ["benchmark", "optimizer", "release", "seed", "regret"]
    return pd.DataFrame(rows, columns=names).set_index(names[:4])["regret"]


@pytest.mark.slow
def test_releases_that_are_alike_raise_an_alarm_as_often_as_said():
    """200 pairs of releases of three optimizers without a change: in about 5 % one is called changed."""
    rng = np.random.default_rng(1)
    n_false = sum(
        any(change.verdict != "no difference seen" for change in compare_releases(values(rng, [0.0] * 3), n_samples=2))
        for _ in range(200)
    )
    assert n_false <= 200 * ALPHA + 3 * np.sqrt(200 * ALPHA)


def test_a_known_effect_is_found_with_its_sign_and_size():
    """A shift of one deviation: a new run beats an old one with probability Phi(1 / sqrt 2) = .760."""
    changes = compare_releases(values(np.random.default_rng(2), [-1.0, 0.0, 1.0], n_seeds=40))
    assert [change.verdict for change in changes] == ["better", "no difference seen", "worse"]
    assert changes[0].effect == pytest.approx(0.760, abs=0.05)
    assert changes[2].effect == pytest.approx(0.240, abs=0.05)
    assert changes[0].effect_low < 0.760 < changes[0].effect_high
    assert (changes[0].n_benchmarks, changes[0].n_old, changes[0].n_new) == (4, 160, 160)


def mine(name, **options):
    """An optimizer under a label that stays."""
    return {"name": name, "label": "mine", "options": options}


def test_archives_of_two_releases(tmp_path):
    settings = {"n_seeds": 20, "n_trials": 40}
    old = run_store(tmp_path / "old.sqlite", ["branin", "mini-wine"], ["rs", mine("rs")], **settings)
    new = run_store(tmp_path / "new.sqlite", ["branin", "mini-wine"], ["rs", mine("tpe"), "de"], **settings)
    before, after = archive_file(tmp_path / "old.h5", old), archive_file(tmp_path / "new.h5", new)
    found = difference(before, after)
    assert {change.optimizer: change.verdict for change in found.changes} == {"mine": "better", "rs": "the same runs"}
    assert found.left_out == ["only in the new one: de"]
    versions = [(change.old_version, change.new_version) for change in found.changes if change.optimizer == "mine"]
    assert versions[0][0] != versions[0][1]
    turned = difference(after, before)
    assert [change.verdict for change in turned.changes] == ["worse", "the same runs"]
    assert turned.changes[0].effect == pytest.approx(1 - found.changes[0].effect)
    assert difference(old, after) == found  # a store will do


def test_only_equal_conditions_are_compared(tmp_path):
    old = run_store(tmp_path / "old.sqlite", ["branin", "mini-wine"], ["rs"])
    new = run_store(tmp_path / "new.sqlite", ["branin", {"name": "mini-wine", "n_trials": 5}], ["rs"])
    found = difference(old, new)
    assert found.changes[0].n_benchmarks == 1
    assert found.left_out == ["mini-wine: its runs were allowed different lengths in the two"]
    other = run_store(tmp_path / "other.sqlite", ["hartmann3"], ["rs"])
    with pytest.raises(InvalidOption, match="a benchmark that both have"):
        difference(old, other)
