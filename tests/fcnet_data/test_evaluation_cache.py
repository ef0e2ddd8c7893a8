"""Evaluations that are kept: they come back as they were measured, and what was altered is found."""

import json
import sqlite3

import pytest

from fcnet_data.evaluation_cache import EvaluationCache
from fcnet_data.trainers.evaluation import Evaluation
from hpo_core.errors import DamagedFile

MEASURED = Evaluation(0.5, 0.25, 2.0, (0.5, 0.5))


@pytest.fixture
def cache(tmp_path):
    made = EvaluationCache(tmp_path / "e.sqlite")
    made.get("a", lambda: MEASURED)
    made.get("b", lambda: MEASURED._replace(valid_loss=0.75))
    return made


def execute(cache, statement, *values):
    connection = sqlite3.connect(cache.path)
    with connection:
        connection.execute(statement, values)
    connection.close()


def found(cache):
    return EvaluationCache(cache.path).get("a", lambda: pytest.fail("measured again"))


def test_an_evaluation_comes_back(cache):
    assert found(cache) == MEASURED


def test_rows_of_an_earlier_release_are_read(cache):
    execute(cache, "UPDATE evaluations SET numbers = '[0.5, 0.25, 2.0, [0.5, 0.5]]'")
    assert found(cache) == MEASURED


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE evaluations SET numbers = replace(numbers, '0.25', '0.24')",
        "UPDATE evaluations SET numbers = (SELECT numbers FROM evaluations WHERE key = 'b')",
        "UPDATE evaluations SET numbers = NULL",
        "UPDATE evaluations SET numbers = x'00'",
        "UPDATE evaluations SET numbers = CAST(x'ff41' AS TEXT)",
        "ALTER TABLE evaluations RENAME COLUMN numbers TO other",
        *(
            f"UPDATE evaluations SET numbers = '{json.dumps(value)}'"
            for value in (5, [], {}, [1, 2], ["a", 1, 1, []], [1, 1, -1, []], [1, 1, 1, 5], [1, 1, 1, ["a"]])
        ),
    ],
)
def test_an_altered_row_is_found(cache, statement):
    execute(cache, statement)
    with pytest.raises(DamagedFile, match=r"e\.sqlite.*delete .*to train again"):
        found(cache)
