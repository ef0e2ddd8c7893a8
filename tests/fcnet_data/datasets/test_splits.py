"""Splits: disjoint, complete, of the right sizes, stratified, and the same for ever."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcnet_data.datasets import Dataset, InvalidDataset, folds, open_dataset, split, standardised, subsample
from fcnet_data.datasets.splits import check_classes, scarce_classes
from hpo_core.errors import InvalidOption

TRAIN_ROWS = [11, 3, 13, 2, 15, 1, 18, 19, 17, 8, 6, 0]
TEST_ROWS = [12, 16, 5, 9]


def dataset(n_rows, class_sizes=None):
    """Rows that carry their own number as the only feature."""
    rows = np.arange(n_rows, dtype=float)[:, None]
    if class_sizes is None:
        return Dataset("numbers", "regression", rows, rows[:, 0] ** 2, ("row",), "square")
    target = np.repeat(np.arange(len(class_sizes)), class_sizes)
    names = tuple(map(str, range(len(class_sizes))))
    return Dataset("classes", "classification", rows, target, ("row",), "class", names)


@given(st.integers(10, 300), st.integers(0, 2**32))
def test_split_holds_every_row_once(n_rows, seed):
    parts = split(dataset(n_rows), seed)
    rows = np.concatenate([features[:, 0] for features in parts[::2]])
    assert sorted(rows) == list(range(n_rows))
    assert all(np.array_equal(f[:, 0] ** 2, t) for f, t in zip(parts[::2], parts[1::2], strict=True))
    sizes = [len(t) for t in parts[1::2]]
    assert np.abs(np.array(sizes) - n_rows * np.array([0.6, 0.2, 0.2])).max() <= 1


@given(st.lists(st.integers(1, 60), min_size=2, max_size=6).filter(lambda s: sum(s) >= 10), st.integers(0, 100))
def test_split_has_classes_in_proportion(sizes, seed):
    parts = split(dataset(sum(sizes), sizes), seed)
    for label, size in enumerate(sizes):
        shares = [np.sum(target == label) for target in parts[1::2]]
        assert sum(shares) == size
        assert shares[0] >= 1
        assert np.abs(np.array(shares) - size * np.array([0.6, 0.2, 0.2])).max() <= 1 + len(sizes)


def test_split_trains_on_the_rarest_classes():
    parts = split(dataset(10, [1, 1, 1, 1, 1, 5]), 0)
    assert set(parts.train_target) == set(range(6))
    with pytest.raises(InvalidDataset, match="7 classes and only 6 rows"):
        split(dataset(10, [1, 1, 1, 1, 1, 1, 4]), 0)


@given(st.integers(5, 40), st.integers(100, 400), st.integers(0, 50))
def test_five_rows_of_a_class_are_enough_for_every_part(size, others, seed):
    data = dataset(size + others, [size, others])
    assert scarce_classes(data) == ()
    assert all((target == 0).any() for target in split(data, seed)[1::2])


def test_scarce_classes_are_missing_from_a_part():
    data = dataset(304, [4, 300])
    assert scarce_classes(data) == ("0",) and scarce_classes(dataset(40)) == ()
    assert any(not (target == 0).any() for target in split(data)[1::2])
    check_classes(data)
    check_classes(dataset(40))
    with pytest.raises(InvalidDataset, match=r"one row: '1' \(1 of 3\)"):
        check_classes(dataset(304, [301, 1, 2]))


def test_split_of_common_classes_is_exact():
    parts = split(dataset(500, [300, 150, 50]), 7)
    assert [np.bincount(t).tolist() for t in parts[1::2]] == [[180, 90, 30], [60, 30, 10], [60, 30, 10]]


def test_split_depends_on_the_seed_alone():
    data = dataset(50)
    assert all(np.array_equal(a, b) for a, b in zip(split(data, 3), split(data, 3), strict=True))
    assert not np.array_equal(split(data, 3).train_target, split(data, 4).train_target)


def test_split_stays_the_same_for_ever():
    """Row numbers found once; shipped tables hold measurements on these rows."""
    parts = split(dataset(20), 0)
    assert parts.train_features[:, 0].tolist() == TRAIN_ROWS
    assert parts.test_features[:, 0].tolist() == TEST_ROWS


def test_split_needs_ten_rows():
    with pytest.raises(InvalidDataset, match="needs at least 10"):
        split(dataset(7))


def test_standardised_uses_training_rows_alone():
    parts = split(open_dataset("diabetes"), 1)
    scaled = standardised(parts, target=True)
    assert np.allclose(scaled.train_features.mean(axis=0), 0) and np.allclose(scaled.train_features.std(axis=0), 1)
    assert np.isclose(scaled.train_target.std(), 1) and abs(scaled.train_target.mean()) < 1e-12
    by_hand = (parts.test_target - parts.train_target.mean()) / parts.train_target.std()
    assert np.allclose(scaled.test_target, by_hand)
    assert np.array_equal(standardised(parts, target=False).test_target, parts.test_target)


def test_standardised_only_centres_what_is_constant_in_training():
    parts = split(dataset(40), 0)
    features = np.column_stack([parts.train_features[:, 0], np.full(len(parts.train_target), 0.1)])
    wide = parts._replace(
        train_features=features,
        valid_features=np.full((len(parts.valid_target), 2), 3.1),
        test_features=np.full((len(parts.test_target), 2), 3.1),
    )
    scaled = standardised(wide, target=False)
    assert np.allclose(scaled.train_features[:, 1], 0)
    assert np.allclose(scaled.valid_features[:, 1], 3.0)


@given(st.integers(25, 200), st.integers(2, 10), st.integers(0, 50))
def test_folds_hold_every_row_once(n_rows, n_folds, seed):
    test, parts = folds(dataset(n_rows), n_folds, seed)
    assert sorted(np.concatenate([test, *parts])) == list(range(n_rows))
    assert abs(len(test) - 0.2 * n_rows) <= 1
    assert len(parts) == n_folds
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_folds_are_stratified():
    data = dataset(1000, [700, 200, 100])
    test, parts = folds(data, 10, 0)
    assert np.bincount(data.target[test]).tolist() == [140, 40, 20]
    for part in parts:
        assert np.bincount(data.target[part]).tolist() == [56, 16, 8]


def test_folds_need_rows():
    with pytest.raises(InvalidDataset, match="10 folds need at least 25 rows, 'numbers' has 20"):
        folds(dataset(20))
    with pytest.raises(InvalidOption, match="at least 2"):
        folds(dataset(20), 1)


def test_subsample_keeps_proportions_and_rare_classes():
    data = dataset(1011, [900, 110, 1])
    whole = data.digest
    part = subsample(data, 101, seed=5)
    assert np.bincount(part.target).tolist() == [89, 11, 1]
    assert part.n_classes == 3
    assert np.isin(part.features[:, 0], data.features[:, 0]).all() and len(np.unique(part.features)) == 101
    assert part.digest != whole == data.digest
    assert subsample(data, 5000) is data


def test_subsample_needs_a_row_per_class():
    with pytest.raises(InvalidOption, match="at least 3 rows"):
        subsample(dataset(30, [10, 10, 10]), 2)
