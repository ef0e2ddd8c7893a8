"""Importing the core stays light: optimizers in a loop of processes pay for it every time."""

import subprocess
import sys

HEAVY = ("torch", "pandas", "sklearn", "ConfigSpace", "matplotlib", "plotly", "scipy", "h5py")


def test_the_core_imports_nothing_heavy():
    code = f"import sys, hpo_core; print([m for m in {HEAVY!r} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_lookup_imports_no_more_than_it_needs():
    code = (
        "import sys; from hpo_core import Benchmark; b = Benchmark('protein'); b.objective(b.problem.best());"
        "print([m for m in ('torch', 'pandas', 'sklearn', 'ConfigSpace', 'scipy') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
