"""Digest of the code behind an optimizer or a benchmark, so that old runs are not taken for those of changed code.

It covers the module that defines it and, transitively, every module that these import of the same project: imports
inside functions count, imports for the type checker alone do not. Comments, docstrings and formatting leave it as it
is. Nothing is imported to find out: the sources are parsed, which takes some milliseconds each.

The project of one of our modules is all packages of HPO Foundry. That of yours is every module that it imports and that
is not installed, wherever on the path it lies, and what they import of HPO Foundry; that of an installed package is the
package. Of a package that only gathers names, by imports in its `__init__` or lazily with a stub `__init__.pyi`, the
module behind a name counts: `from package import name`, or `package.name`. What is imported by a computed name is not
seen: state a `version` on the class then.
"""

from __future__ import annotations

import ast
import hashlib
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from hpo_leaderboard.experiments.code.canonical_code import canonical_code
from hpo_leaderboard.experiments.code.numerics import has_linear_algebra

PROJECT = {"hpo_core", "hpo_models", "fcnet_data", "tabular", "profet", "baselines"}
PROJECT |= {"hpo_leaderboard", "hpo_papers", "hpo_cli", "hpo_foundry"}
WHOLE_NUMBERS = "hpo_core.space."  # their products are of integers, which are exact
DIGITS = 12  # hexadecimal, 48 bits
N_PARSED = 4096
_loaded: dict[str, tuple[ModuleSpec | None, bytes]] = {}  # spec and digest of loaded modules when first seen
_edited: set[str] = set()


class Import(NamedTuple):
    """`from module import name`, or `import module` with a name of None."""

    module: str
    name: str | None


class ParsedModule(NamedTuple):
    """Digest of a module's code, what it imports anywhere, and what its top level imports under which name.

    A facade is a package that loads names when they are asked for; its stub `__init__.pyi` says from where. A
    numeric one has linear algebra.
    """

    digest: bytes
    imports: tuple[Import, ...]
    gathered: dict[str, Import]
    is_facade: bool
    is_numeric: bool


@cache
def code_digest(module: str) -> str | None:
    """First hexadecimal digits of the SHA-256 of the code that a module runs; None if it has no source file.

    It is computed once per process, so that it stands for the code that the process has imported, until
    `forget_digests` is called.
    """
    if source_file(module) is None:
        return None
    digests = sorted((name, parsed.digest) for name, parsed in _reached(module).items())
    total = hashlib.sha256()
    for name, digest in digests:
        total.update(name.encode() + b"\0" + digest)
    return total.hexdigest()[:DIGITS]


@cache
def depends_on_numerics(module: str) -> bool:
    """Whether the code that a module runs has linear algebra, so that its last digits depend on the libraries."""
    if source_file(module) is None:
        return False
    return any(parsed.is_numeric for name, parsed in _reached(module).items() if not name.startswith(WHOLE_NUMBERS))


def edited_modules() -> list[str]:
    """Modules behind the digests since `forget_digests` whose files were edited after this process had loaded them.

    What it runs of them is older than their digest says. An edit between the import and the first digest is not seen.
    """
    return sorted(_edited)


def forget_digests() -> None:
    """Have digests computed anew, of files as they are now."""
    _edited.clear()
    for function in (code_digest, depends_on_numerics, _reached, _top, source_file, _home):
        function.cache_clear()


def is_installed(module: str) -> bool:
    """Whether a module comes with Python or an installed package; one that cannot be found does not."""
    return _top(module.partition(".")[0]).is_found and _home(module) is None


@cache
def _reached(start: str) -> dict[str, ParsedModule]:
    """The modules that count, by name."""
    home, top = _home(start), start.partition(".")[0]

    def belongs(module: str) -> bool:
        root = module.partition(".")[0]
        is_own = home is not None and top not in PROJECT
        return root in PROJECT or root == top or (is_own and _home(root) is not None)

    reached: dict[str, ParsedModule] = {}
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached[name] = parsed = _parse(name)
            _note_edit(name, parsed.digest)
            for wanted in filter(lambda wanted: belongs(wanted.module), parsed.imports):
                waiting += filter(belongs, _behind(wanted))
    return reached


def _note_edit(name: str, digest: bytes) -> None:
    """Compare a loaded module's digest with its first one; a module that was loaded again has another spec."""
    module = sys.modules.get(name)
    if module is not None:
        spec = getattr(module, "__spec__", None)  # a script has none
        known, first = _loaded.get(name, (None, b""))
        if known is None or known is not spec:
            _loaded[name] = (spec, digest)
        elif digest != first:
            _edited.add(name)


def _behind(wanted: Import, seen: frozenset[Import] = frozenset()) -> Iterator[str]:
    """The module behind an import: a submodule, the one that a package gathers the name from, or the module itself."""
    module, name = wanted
    if name is not None and source_file(f"{module}.{name}") is not None:
        yield f"{module}.{name}"
        return
    source = source_file(module)
    if source is None:
        return
    parsed = _parse(module)
    gathered = parsed.gathered.get(name or "") if source.name == "__init__.py" else None
    if gathered is not None and gathered not in seen and source_file(gathered.module) is not None:
        yield from _behind(gathered, seen | {wanted})
    elif not parsed.is_facade:
        yield module


# --- files -----------------------------------------------------------------------------------------------------------


class TopLevel(NamedTuple):
    """Source file of a top-level module, None if it has none, directories of its submodules, whether there is one."""

    source: Path | None
    folders: tuple[Path, ...]
    is_found: bool


@cache
def _top(name: str) -> TopLevel:
    """Where a top-level module or package lies, found without importing it."""
    try:
        spec = find_spec(name)
        origin, folders = (None, ()) if spec is None else (spec.origin, spec.submodule_search_locations or ())
    except (ImportError, ValueError):  # no spec, as of a script
        origin, folders, spec = getattr(sys.modules.get(name), "__file__", None), (), None
    source = Path(origin) if origin is not None and origin.endswith(".py") else None
    return TopLevel(source, tuple(map(Path, folders)), spec is not None or source is not None)


@cache
def source_file(module: str) -> Path | None:
    """Source file of a module; None if there is none."""
    name, *parts = module.split(".")
    top = _top(name)
    if not parts:
        return top.source
    for folder in (root.joinpath(*parts) for root in top.folders):
        for candidate in (folder.with_name(f"{folder.name}.py"), folder / "__init__.py"):
            if candidate.is_file():
                return candidate
    return None


@cache
def _home(module: str) -> Path | None:
    """Directory in which a module's project lies; None where installed packages lie, or without source."""
    top = _top(module.partition(".")[0])
    inside = top.folders[0] if top.folders else top.source
    if inside is None:
        return None
    folder = inside.resolve().parent
    installed = {Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "platstdlib", "purelib", "platlib")}
    return None if folder in installed or folder.name in ("site-packages", "dist-packages") else folder


# --- parsing ---------------------------------------------------------------------------------------------------------


def _parse(module: str) -> ParsedModule:
    path = source_file(module)
    if path is None:
        raise FileNotFoundError(f"module {module!r} has no source file any more")
    stamp = path.stat()
    is_package = path.name == "__init__.py"
    return _parse_file(str(path), stamp.st_mtime_ns, stamp.st_size, module if is_package else module.rpartition(".")[0])


@lru_cache(maxsize=N_PARSED)
def _parse_file(path: str, changed: int, size: int, package: str) -> ParsedModule:
    """Parsed file; `changed` and `size` have an edited one parsed again, `package` is where relative imports start."""
    tree = ast.parse(Path(path).read_bytes())
    stub = Path(path).with_suffix(".pyi")
    is_facade = stub.name == "__init__.pyi" and stub.is_file()
    gathered = {
        alias.asname or alias.name: wanted
        for node in (ast.parse(stub.read_bytes()) if is_facade else tree).body
        if isinstance(node, ast.ImportFrom)
        for alias, wanted in zip(node.names, _imports(node, package), strict=True)
    }
    nodes = list(_running(tree))
    imports = [wanted for node in nodes for wanted in _imports(node, package)]
    digest = hashlib.sha256(canonical_code(tree)).digest()
    wanted = (*imports, *_attributes(nodes), *_by_function(nodes))
    return ParsedModule(digest, wanted, gathered, is_facade, has_linear_algebra(nodes, {w.module for w in imports}))


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those below `if TYPE_CHECKING:`."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


def _attributes(nodes: Sequence[ast.AST]) -> Iterator[Import]:
    """`module.name` after `import module`, as if it were `from module import name`."""
    statements = [node for node in nodes if isinstance(node, ast.Import)]
    modules = {alias.asname or alias.name: alias.name for node in statements for alias in node.names}
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield Import(modules[node.value.id], node.attr)


def _by_function(nodes: Sequence[ast.AST]) -> Iterator[Import]:
    """`import_module("name")` and `__import__("name")` with a name that is written there."""
    for node in nodes:
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = getattr(node.func, "attr", getattr(node.func, "id", None))
            if name in ("import_module", "__import__") and isinstance(node.args[0].value, str):
                yield Import(node.args[0].value, None)


def _imports(node: ast.AST, package: str) -> list[Import]:
    if isinstance(node, ast.Import):
        return [Import(alias.name, None) for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        module = ".".join([*above, *([node.module] if node.module else [])])
        return [Import(module, None if alias.name == "*" else alias.name) for alias in node.names]
    return []
