"""How the parts of the kernel are compiled, and when what was compiled may be used again.

Parts are called from the kernel alone, so they get no entry from Python, which saves compiling it. The kernel itself is
kept on disk by numba, whose own rule looks at the date of one file; `SOURCES` makes it look at the text of all of them.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from numba import njit

compiled: Any = njit  # numba's own type hints do not know all of its options
part = compiled(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)

SOURCES = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))).hexdigest()
