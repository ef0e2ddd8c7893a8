"""The model-based optimizers propose what they proposed when `golden_proposals.json` was recorded.

Those that forget rows before the newest 1,000 are hashed over their first 1,000 proposals too, which have no such rows.

Last bits of a matrix product differ between processors, and a chain of SGHMC makes them first ones; so the hashes are
taken in a process whose BLAS and numpy use the instructions that every x86 processor with AVX2 has, and one thread.
"""

import json
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "golden_proposals.json").read_text())
AVX512 = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
PINNED = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": AVX512,
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="hashes were recorded on x86")
@pytest.mark.parametrize("script, key", [("golden_proposals.py", "digests"), ("long_proposals.py", "long")])
def test_proposals_are_those_that_were_recorded(script, key):
    installed = {name: version(name) for name in RECORDED["versions"]}
    if installed != RECORDED["versions"]:
        pytest.skip(f"hashes were recorded with {RECORDED['versions']}, this is {installed}")
    paths = [str(HERE.parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, **PINNED, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-W", "ignore", str(HERE / script)]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert json.loads(found) == RECORDED[key]
