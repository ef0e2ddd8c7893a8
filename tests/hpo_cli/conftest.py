"""How the tests of the command line call it."""

import json
from typing import NamedTuple

import pytest

from hpo_cli.main import main


class Answer(NamedTuple):
    """Exit status, standard output and standard error of a call."""

    status: int
    out: str
    err: str

    @property
    def rows(self):
        """The rows of a call with --json."""
        return json.loads(self.out)


@pytest.fixture
def hpo(capsys):
    """A function that calls the command line in this process, as a user does."""

    def call(*arguments):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            status = ended.code
        return Answer(status, *capsys.readouterr())

    return call


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache directory."""
    monkeypatch.setenv("HPO_FOUNDRY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
