"""A name that no file can have is an unknown name, not a traceback."""

import pytest

from hpo_cli.main import main


@pytest.mark.parametrize("words", [("profet", "info"), ("surrogate", "info"), ("table", "info")])
def test_a_name_of_5000_letters_is_unknown(words, capsys):
    assert main([*words, "a" * 5000]) == 2
    assert "hpo: error: no " in capsys.readouterr().err
