"""How the parts of the kernel are compiled, and when a compiled kernel may be reused.

Parts are called from the kernel only, so they need no entry point for Python, which saves compiling one. numba keeps
the kernel on disk and checks the date of one file; `SOURCES` makes it check the text of all files.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from numba import njit

compiled: Any = njit  # numba's type hints lack some of its options
part = compiled(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)

SOURCES = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))).hexdigest()
