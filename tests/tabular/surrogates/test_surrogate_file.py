"""Surrogates as files."""

import dataclasses

import numpy as np
import pytest
from recorded_rows import CONFIG, recorded, small_models

from hpo_core import Benchmark
from hpo_core.errors import DamagedFile
from tabular import read_table
from tabular.surrogates import SurrogateProblem, read_surrogate, surrogate_from_frame, write_surrogate


@pytest.fixture(scope="module")
def made():
    frame = recorded(budgets=range(1, 5), n_repetitions=2, noise=0.1)
    about = {"source": "made up", "by": "us"}
    with small_models():
        return surrogate_from_frame(
            frame, loss="error", cost="seconds", budget="epoch", config=CONFIG, provenance=about
        )


def test_what_is_written_is_read(made, tmp_path):
    write_surrogate(made, tmp_path / "s.h5")
    again = read_surrogate(tmp_path / "s.h5")
    for field in dataclasses.fields(made):
        if field.name not in ("bins", "loss", "cost", "noise", "scale"):
            assert getattr(again, field.name) == getattr(made, field.name), field.name
    assert again.budgets == range(1, 5)
    assert again.checksum == made.checksum
    codes = made.space.encode(made.space.sample(np.random.default_rng(0), 50))
    for seeds in (None, np.arange(50)):
        first, second = (SurrogateProblem(s).evaluate_batch(codes, 3, seeds) for s in (made, again))
        np.testing.assert_array_equal(first, second)
    write_surrogate(again, tmp_path / "t.h5")
    assert (tmp_path / "s.h5").read_bytes() == (tmp_path / "t.h5").read_bytes()


def test_the_checksum_is_that_of_what_an_evaluation_depends_on(made):
    values = made.loss.values.copy()
    values[0] += 1e-9
    changed = dataclasses.replace(made, loss=dataclasses.replace(made.loss, values=values))
    assert changed.checksum != made.checksum
    assert dataclasses.replace(made, resumable=False).checksum != made.checksum
    assert dataclasses.replace(made, name="other", provenance={}).checksum == made.checksum
    assert Benchmark(SurrogateProblem(made)).problem.checksum == made.checksum


def test_a_damaged_file_is_noticed(made, tmp_path):
    path = tmp_path / "s.h5"
    write_surrogate(made, path)
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:], b"x" * 2000):
        path.write_bytes(damaged)
        with pytest.raises(DamagedFile):
            read_surrogate(path)
    with pytest.raises(FileNotFoundError, match="no surrogate at"):
        read_surrogate(tmp_path / "none.h5")


def test_a_surrogate_is_no_table(made, tmp_path):
    write_surrogate(made, tmp_path / "s.h5")
    with pytest.raises(DamagedFile, match="not a table"):
        read_table(tmp_path / "s.h5")
