"""The workflows: what they are written in, what they call, and that a release is what it says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CHECK = ROOT / ".ci" / "check_tag.py"


def test_workflows_follow_their_schema():
    """The schema comes with check-jsonschema, so no network is needed."""
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run([*command, *map(str, WORKFLOWS)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_call_what_there_is(workflow):
    """Targets of the Makefile and scripts of .ci; and no text of an event is pasted into a shell."""
    text = workflow.read_text()
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)", text)) <= targets
    assert [path for path in re.findall(r"(\.ci/\w+(?:\.py)?)", text) if not (ROOT / path).is_file()] == []
    assert not re.search(r"run:.*\$\{\{", text)


@pytest.mark.parametrize(
    ("tag", "title", "refused"),
    [
        ("v0.1.0", "## 0.1.0, 2026-12-01", ""),
        ("0.1.0", "## 0.1.0, 2026-12-01", "the tag must be v0.1.0"),
        ("v0.2.0", "## 0.1.0, 2026-12-01", "the tag must be v0.1.0"),
        ("v0.1.0", "## 0.1.0, unreleased", "CHANGELOG.md must have a section of 0.1.0"),
    ],
)
def test_a_release_has_the_tag_of_its_version(tmp_path, tag, title, refused):
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.1.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{title}\n")
    done = subprocess.run([sys.executable, str(CHECK), tag], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode == 0) == (not refused)
    assert refused in done.stderr
