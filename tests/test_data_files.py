"""Data files that the wheel carries: docs/benchmarks.md has the size of each, and the package index takes the sum."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROW = re.compile(r"^\| `(\S+\.h5)` \| ([\d.]+) \|$", re.MULTILINE)
MOST = 90e6  # bytes; the index refuses a wheel of 100 MB


def shipped():
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    own = {name: globs for name, globs in patterns.items() if name != "*"}
    found = [path for name, globs in own.items() for glob in globs for path in (ROOT / name).glob(glob)]
    return {path.relative_to(ROOT).as_posix(): path.stat().st_size for path in found if path.suffix == ".h5"}


def test_the_table_has_the_size_of_every_file():
    page, sizes = (ROOT / "docs" / "benchmarks.md").read_text(), shipped()
    assert dict(ROW.findall(page)) == {name: f"{size / 1e6:.2f}" for name, size in sizes.items()}
    assert f"| together | {sum(sizes.values()) / 1e6:.1f} |" in page


def test_all_of_them_fit_into_a_wheel():
    assert sum(shipped().values()) < MOST
