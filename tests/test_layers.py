"""Who imports whom: between packages as CONTRIBUTING.md has it, and without cycles between modules."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROW = re.compile(r"^\| `(\w+)` \|.*\| ([^|]*) \|$", re.MULTILINE)


def allowed_imports():
    """Packages to those that they may import, from the table in CONTRIBUTING.md."""
    allowed: dict[str, set[str]] = {}
    for package, cell in ROW.findall((ROOT / "CONTRIBUTING.md").read_text()):
        allowed[package] = set(allowed) if cell == "all above" else set(re.findall(r"`(\w+)`", cell))
    return allowed


MAY_IMPORT = allowed_imports()


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for package in MAY_IMPORT for path in sorted((ROOT / package).rglob("*.py"))}


def imported(tree):
    """Modules of ours that the nodes of a tree import, as a mapping to the line."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            for name in names:
                found[name if name in MODULES else node.module] = node.lineno
        elif isinstance(node, ast.Import):
            found.update({alias.name: node.lineno for alias in node.names})
    return {name: line for name, line in found.items() if name in MODULES}


def at_import(path):
    """Imports of ours that run when a module is imported: not those inside functions or for the type checker alone."""

    class Strip(ast.NodeTransformer):
        def visit_FunctionDef(self, node):
            return None

        def visit_If(self, node):
            return None if "TYPE_CHECKING" in ast.unparse(node.test) else self.generic_visit(node)

    return set(imported(Strip().visit(ast.parse(path.read_text()))))


def test_the_table_has_every_package():
    assert {path.parent.name for path in ROOT.glob("*/__init__.py")} - set(MAY_IMPORT) == set()


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_package_imports_only_those_below_it(package):
    breaks = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for module, path in MODULES.items()
        if module.split(".")[0] == package
        for name, line in imported(ast.parse(path.read_text())).items()
        if name.split(".")[0] not in MAY_IMPORT[package] | {package}
    ]
    assert breaks == []


def test_modules_do_not_import_each_other_in_a_circle():
    graph = {module: at_import(path) - {module} for module, path in MODULES.items()}
    # a package's __init__ that gathers names from its own modules is no circle: they do not import it
    open_modules, done, circles = [], set(), []

    def visit(module):
        if module in open_modules:
            circles.append(" -> ".join([*open_modules[open_modules.index(module) :], module]))
        elif module not in done:
            open_modules.append(module)
            for other in sorted(graph[module]):
                visit(other)
            done.add(open_modules.pop())

    for module in graph:
        visit(module)
    assert circles == []


def test_no_module_is_hidden_by_an_attribute_of_its_package():
    """`import a.b` and `from a import b` must mean the same thing."""
    hidden = []
    for module, path in MODULES.items():
        if path.name != "__init__.py":
            continue
        for node in ast.parse(path.read_text()).body:
            names = [alias.asname or alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            hidden += [f"{module}.{name}" for name in names if f"{module}.{name}" in MODULES and node.module != module]
    assert hidden == []


def test_the_folders_of_the_tests_are_those_of_the_source():
    tests = ROOT / "tests"
    folders = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")}
    elsewhere = [str(folder) for folder in sorted(folders) if not (ROOT / folder / "__init__.py").exists()]
    # hostile files go through all packages; examples and the site's scripts are no packages
    assert elsewhere == [".", "examples", "hostile", "site"]
