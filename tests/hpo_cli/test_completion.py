"""Completion: what is offered, and the script in a real bash."""

import os
import shutil
import subprocess
import sys

import pytest

from hpo_cli.commands import COMMANDS
from hpo_cli.completion import candidates
from hpo_core import benchmarks


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["lea"], ["leaderboard"]),
        (["st"], ["store", "stop"]),
        (["table", "i"], ["info", "import"]),
        (["tabel", "i"], []),
        (["run", "mini-w"], ["mini-wine"]),
        (["run", "protein", "tp"], ["tpe", "tpe-univariate"]),
        (["run", "--seeds", "3", "protein", "hyperb"], ["hyperband"]),
        (["run", "protein", "--trials", "3", "rein"], ["reinforce"]),
        (["run", "protein", "rs", "--tr"], ["--trials"]),
        (["run", "protein", "rs", "--trials", ""], []),
        (["run", "protein", "rs", "--json", "x"], []),
        (["run", "protein", "rs", "--stop", "con"], ["conv"]),
        (["leaderboard", "qui"], ["quick"]),
        (["leaderboard", "quick", "--engine", "p"], ["processes"]),
        (["leaderboard", "quick", "--optimizers", "rs,bo-"], ["rs,bo-bos"]),
        (["stop", "replay", "x.csv", "--criteria", "conv", "limi"], ["limit"]),
        (["table", "verify", "protein", "nava"], ["naval"]),
        (["profet", "plot", "svm", "lat"], ["latent"]),
        (["list", "--family", "fcn"], ["fcnet"]),
        (["report", "leader"], []),
    ],
)
def test_candidates(words, offered):
    assert candidates(words) == offered


def test_everything_is_offered_for_nothing():
    assert candidates([]) == candidates([""]) == [*COMMANDS, "--help", "--version"]
    assert candidates(["run", ""]) == list(benchmarks())


def test_shells_have_scripts(hpo):
    for shell in ("bash", "zsh", "fish"):
        assert "hpo completion words" in hpo("completion", shell).out
    assert hpo("completion", "tcsh").status == 2


@pytest.fixture
def in_bash(tmp_path):
    """A function that has a real bash complete a line of words and returns what it offers."""
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    program = tmp_path / "bin" / "hpo"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nimport sys\nfrom hpo_cli.main import main\nsys.exit(main())\n")
    program.chmod(0o755)
    path = os.pathsep.join([os.getcwd(), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = os.environ | {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path}

    def complete(*words):
        script = 'eval "$(hpo completion bash)"; COMP_WORDS=(hpo "$@"); COMP_CWORD=$#; _hpo; '
        script += 'printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(
            ["bash", "-c", script, "bash", *words], capture_output=True, text=True, check=True, env=env
        )
        assert done.stderr == ""
        return done.stdout.split("\n")[:-1]

    return complete


@pytest.mark.slow
def test_bash_completes_commands_options_and_names(in_bash):
    assert in_bash("leader") == ["leaderboard"]
    assert in_bash("run", "counting-ones-1") == ["counting-ones-16-16"]
    assert in_bash("run", "protein", "rs", "--see") == ["--seeds"]
    assert in_bash("run", "protein", "rs", "--out", "") == [""]
