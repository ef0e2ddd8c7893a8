"""Print the requirements of an extra of pyproject.toml, a line each: `pip install --requirement` takes them alone."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
print(*project["optional-dependencies"][sys.argv[1]], sep="\n")
