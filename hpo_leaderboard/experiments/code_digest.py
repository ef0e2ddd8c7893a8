"""Digest of the code behind an optimizer or a benchmark, so that old runs are not taken for those of changed code.

It covers the module that defines it and, transitively, every module that these import of the same project: imports
inside functions count, imports for the type checker alone do not. Comments, docstrings and formatting leave it as it
is. Nothing is imported to find out: the sources are parsed, which takes some milliseconds each.

The project of one of our modules is all packages of HPO Foundry. That of yours is its top-level package, the modules
that lie in the same directory unless the package is installed, and what they import of HPO Foundry. Of a package that
only gathers names, by imports in its `__init__` or lazily with a stub `__init__.pyi`, the module behind a name counts:
`from package import name`, or `package.name`. What is imported by a computed name is not seen: state a `version` on
the class then.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
import sysconfig
import textwrap
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from hpo_leaderboard.experiments.canonical_code import canonical_code

PROJECT = {"hpo_core", "hpo_models", "fcnet_data", "tabular", "profet", "baselines"}
PROJECT |= {"hpo_leaderboard", "hpo_papers", "hpo_cli", "hpo_foundry"}
DIGITS = 12  # hexadecimal, 48 bits
N_PARSED = 4096


class Import(NamedTuple):
    """`from module import name`, or `import module` with a name of None."""

    module: str
    name: str | None


class ParsedModule(NamedTuple):
    """Digest of a module's code, what it imports anywhere, and what its top level imports under which name.

    A facade is a package that loads names when they are asked for; its stub `__init__.pyi` says from where.
    """

    digest: bytes
    imports: tuple[Import, ...]
    gathered: dict[str, Import]
    is_facade: bool


@cache
def code_digest(module: str) -> str | None:
    """First hexadecimal digits of the SHA-256 of the code that a module runs; None if it has no source file.

    It is computed once per process, so that it stands for the code that the process has imported, until
    `forget_digests` is called.
    """
    if _source(module) is None:
        return None
    digests = sorted((name, parsed.digest) for name, parsed in _reached(module).items())
    total = hashlib.sha256()
    for name, digest in digests:
        total.update(name.encode() + b"\0" + digest)
    return total.hexdigest()[:DIGITS]


def forget_digests() -> None:
    """Have digests computed anew, of files as they are now."""
    for function in (code_digest, _top, _source, _home):
        function.cache_clear()


def definition_digest(factory: Callable[..., Any]) -> str | None:
    """As `code_digest`, of one function or of the methods of a class, as in a notebook; None without their source."""
    functions = filter(inspect.isfunction, vars(factory).values()) if isinstance(factory, type) else [factory]
    total = hashlib.sha256()
    try:
        for function in functions:
            total.update(canonical_code(ast.parse(textwrap.dedent(inspect.getsource(function)))))
    except (OSError, TypeError, SyntaxError):
        return None
    return total.hexdigest()[:DIGITS]


def _reached(start: str) -> dict[str, ParsedModule]:
    """The modules that count, by name."""
    home, top = _home(start), start.partition(".")[0]

    def belongs(module: str) -> bool:
        root = module.partition(".")[0]
        return root in PROJECT or root == top or (home is not None and _home(root) == home)

    reached: dict[str, ParsedModule] = {}
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached[name] = parsed = _parse(name)
            for wanted in filter(lambda wanted: belongs(wanted.module), parsed.imports):
                waiting += filter(belongs, _behind(wanted))
    return reached


def _behind(wanted: Import, seen: frozenset[Import] = frozenset()) -> Iterator[str]:
    """The module behind an import: a submodule, the one that a package gathers the name from, or the module itself."""
    module, name = wanted
    if name is not None and _source(f"{module}.{name}") is not None:
        yield f"{module}.{name}"
        return
    source = _source(module)
    if source is None:
        return
    parsed = _parse(module)
    gathered = parsed.gathered.get(name or "") if source.name == "__init__.py" else None
    if gathered is not None and gathered not in seen and _source(gathered.module) is not None:
        yield from _behind(gathered, seen | {wanted})
    elif not parsed.is_facade:
        yield module


# --- files -----------------------------------------------------------------------------------------------------------


class TopLevel(NamedTuple):
    """Source file of a top-level module, None if it has none, and the directories of its submodules."""

    source: Path | None
    folders: tuple[Path, ...]


@cache
def _top(name: str) -> TopLevel:
    """Where a top-level module or package lies, found without importing it."""
    try:
        spec = find_spec(name)
        origin, folders = (None, ()) if spec is None else (spec.origin, spec.submodule_search_locations or ())
    except (ImportError, ValueError):  # no spec, as of a script
        origin, folders = getattr(sys.modules.get(name), "__file__", None), ()
    source = Path(origin) if origin is not None and origin.endswith(".py") else None
    return TopLevel(source, tuple(map(Path, folders)))


@cache
def _source(module: str) -> Path | None:
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
    path = _source(module)
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
    return ParsedModule(digest, (*imports, *_attributes(nodes)), gathered, is_facade)


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


def _imports(node: ast.AST, package: str) -> list[Import]:
    if isinstance(node, ast.Import):
        return [Import(alias.name, None) for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        module = ".".join([*above, *([node.module] if node.module else [])])
        return [Import(module, None if alias.name == "*" else alias.name) for alias in node.names]
    return []
