"""Results do not depend on the number of threads of the numerical libraries, wherever model code is called."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def digests(n_threads):
    paths = [str(HERE.parents[1]), os.environ.get("PYTHONPATH", "")]
    limits = {"OPENBLAS_NUM_THREADS": str(n_threads), "OMP_NUM_THREADS": str(n_threads)}
    environment = {**os.environ, **limits, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    script = [sys.executable, "-W", "ignore", str(HERE / "thread_proposals.py")]
    return json.loads(subprocess.run(script, env=environment, capture_output=True, text=True, check=True).stdout)


@pytest.mark.slow
def test_one_and_two_threads_give_the_same_bits():
    one, two = digests(1), digests(2)
    assert {name for name in one if one[name] != two[name]} == set()
