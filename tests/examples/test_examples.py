"""The scripts in examples/ run at a small size, and the tutorials show what is in them."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def run_script(name: str, *arguments: str, folder: Path, status: int = 0) -> str:
    """What a script prints, run in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def test_an_optimizer_of_ten_lines(tmp_path):
    assert re.fullmatch(r"regret 0\.\d{4} after 100 trials\n", run_script("my_search.py", folder=tmp_path))


@pytest.mark.slow
def test_own_optimizer_ends_with_a_table_and_figures(tmp_path):
    printed = run_script("own_optimizer.py", "--seeds", "2", "--trials", "20", folder=tmp_path)
    assert "added 32 runs to paper.sqlite" in printed and "ok: paper.sqlite" in printed
    table = (tmp_path / "paper" / "group-1" / "leaderboard.tex").read_text()
    assert table.count(r"\\") == 5 and "my\\_search:MySearch" in table  # the head and four optimizers
    assert (tmp_path / "figures" / "group-1" / "regret-evaluations.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
def test_own_dataset_becomes_a_table_and_a_model(tmp_path):
    printed = run_script("own_dataset_to_benchmark.py", "--small", folder=tmp_path)
    assert 'Benchmark("wine-nets") is ready' in printed and "removed" in printed.splitlines()[-1]
    assert (tmp_path / "own-model.h5").is_file()
    assert re.search(r"^\d +(rs|tpe) .* 15$", printed, re.MULTILINE)


@pytest.mark.slow
def test_release_check_finds_what_became_worse(tmp_path):
    library = tmp_path / "my_library.py"
    good = (EXAMPLES / "my_search.py").read_text()
    sizes = ("my_library:MySearch", "--seeds", "8", "--trials", "60")
    library.write_text(good)
    assert "these are the first runs" in run_script("release_check.py", *sizes, folder=tmp_path)
    library.write_text("# a comment is no new version\n" + good)
    assert "the code has not changed" in run_script("release_check.py", *sizes, folder=tmp_path)
    library.write_text(good.replace("if loss < self.best_loss", "if loss > self.best_loss or not self.best_config"))
    printed = run_script("release_check.py", *sizes, folder=tmp_path, status=1)
    assert re.search(
        r"my_library:MySearch code \w+ beats my_library:MySearch code \w+ with probability 0\.[0-3]", printed
    )


@pytest.mark.slow
def test_own_loops_of_other_libraries(tmp_path):
    printed = run_script("own_loop.py", "--trials", "12", "--benchmark", "mini-wine", folder=tmp_path)
    regrets = dict(re.findall(r"^(with_\w+) +regret ([\d.]+) ", printed, re.MULTILINE))
    assert set(regrets) == {"with_optuna", "with_smac"} and all(0 <= float(text) < 1 for text in regrets.values())


@pytest.mark.slow
def test_stopping_in_a_run_and_on_recorded_runs(tmp_path):
    printed = run_script("when_to_stop.py", "--seeds", "2", "--trials", "45", folder=tmp_path)
    assert "stopped: regret-bound: the estimated bound" in printed
    assert re.search(r"^protein tpe +conv:20 +2 ", printed, re.MULTILINE)
    assert (tmp_path / "pictures" / "trade_off.png").is_file()


@pytest.mark.slow
def test_shards_and_dask_make_the_same_runs(tmp_path):
    printed = run_script("cluster.py", "--seeds", "2", "--trials", "10", folder=tmp_path)
    assert "holds all runs of fcnet" in printed and printed.endswith("equal runs: True\n")


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_shows_its_scripts(page):
    scripts = {path.name: path.read_text() for path in EXAMPLES.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    text = page.read_text()
    assert f"examples/{page.stem}.py" in text
    for language, block in BLOCK.findall(text):
        if language in ("python", "bash"):
            assert any(holds(script, block) for script in scripts.values()), f"no script holds\n{block}"


def holds(script: str, block: str) -> bool:
    """Whether the lines of a block stand in a script one after another, perhaps deeper."""
    depths = {re.match(" *", line).group() for line in script.splitlines()}
    return any(textwrap.indent(block, depth) in script for depth in depths)
