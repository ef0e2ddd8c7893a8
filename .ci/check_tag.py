"""Refuse to release a tag that is not the version of pyproject.toml, or that the changelog calls unreleased."""

import sys
import tomllib
from pathlib import Path

tag = sys.argv[1]
version = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
if tag != f"v{version}":
    raise SystemExit(f"the tag must be v{version}, as pyproject.toml has it, got {tag}")
titles = [line for line in Path("CHANGELOG.md").read_text(encoding="utf-8").splitlines() if line.startswith("## ")]
if not any(title.startswith(f"## {version}") and "unreleased" not in title for title in titles):
    raise SystemExit(f"CHANGELOG.md must have a section of {version} with its date, got {titles[:1]}")
