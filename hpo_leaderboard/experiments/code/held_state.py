"""What a class or function holds that the file of its module does not say: bound arguments, a closure's values.

An optimizer that is registered under a name, rather than named as MODULE:CLASS, may be any object that can be called:
`partial(Search, width=3)`, what a function returned, a class of a notebook that has no file at all. The text that is
made here changes when any of that changes.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_leaderboard.experiments.code.canonical_code import canonical_code
from hpo_leaderboard.experiments.code.code_digest import code_digest, is_installed, source_file

PLAIN = (type(None), bool, int, float, complex, str, bytes)
UNSAID = frozenset(("__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__firstlineno__"))
SEEN = "..."  # what is described further up

Above = tuple[int, ...]  # identities of what is being described


def held_state(value: Any, above: Above = ()) -> str:
    """Text that tells a class, a function or a value from any other, with all that they refer to.

    Raises `InvalidOption` for a value of which nothing can be said.
    """
    if isinstance(value, PLAIN):
        return repr(value)
    if id(value) in above:
        return SEEN
    inside = (*above, id(value))
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"array {value.dtype.str} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(sorted(f'{held_state(k, inside)}: {held_state(v, inside)}' for k, v in value.items()))}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(held_state(item, inside) for item in value)}]"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(held_state(item, inside) for item in value))}}}"
    return _of_code(value, inside) or _of_object(value, inside)


def _of_code(value: Any, inside: Above) -> str | None:
    """Text of something that runs; None for anything else."""
    if isinstance(value, partial):
        return f"partial({held_state([value.func, value.args, value.keywords], inside)})"
    if isinstance(value, MethodType):
        return f"method({held_state([value.__func__, value.__self__], inside)})"
    if isinstance(value, ModuleType):
        return f"module {value.__name__} {None if is_installed(value.__name__) else code_digest(value.__name__)}"
    if isinstance(value, FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
        return f"{_definition(value, inside)} {held_state([cells, value.__defaults__, value.__kwdefaults__], inside)}"
    if isinstance(value, type):
        return _definition(value, inside)
    return f"builtin {value.__module__}.{value.__qualname__}" if inspect.isroutine(value) else None


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - an empty one raises
    except ValueError:
        return False
    return True


def _definition(value: Any, inside: Above) -> str:
    """A class or function by the file of its module, or else by its own code and what that refers to."""
    name = f"{value.__module__}.{value.__qualname__}"
    if "<lambda>" in name:
        name += f":{value.__code__.co_firstlineno}"
    if is_installed(value.__module__):
        return name
    if _is_in_file(value):
        return f"{name} {code_digest(value.__module__)}"
    if isinstance(value, type):
        members = {key: member for key, member in vars(value).items() if key not in UNSAID}
        return f"class {name} {held_state([list(value.__bases__), members], inside)}"
    globals_ = {key: value.__globals__[key] for key in sorted(_names(value.__code__)) if key in value.__globals__}
    return f"{name} {_code_text(value)} {held_state(globals_, inside)}"


def _is_in_file(value: Any) -> bool:
    """Whether the source file of a module has a function, or the methods of a class; `exec` makes others."""
    source = source_file(value.__module__)
    if source is None or (isinstance(value, FunctionType) and Path(value.__code__.co_filename) != source):
        return False
    own = filter(inspect.isfunction, vars(value).values()) if isinstance(value, type) else ()
    return all(Path(function.__code__.co_filename) == source for function in own)


def _code_text(function: FunctionType) -> str:
    """Digest of the source of a function, or of its bytecode where there is none."""
    try:
        content = canonical_code(ast.parse(textwrap.dedent(inspect.getsource(function))))
    except (OSError, TypeError, SyntaxError):
        content = repr(list(_bytecode(function.__code__))).encode()
    return hashlib.sha256(content).hexdigest()


def _bytecode(code: CodeType) -> Iterator[object]:
    yield code.co_code, code.co_names, code.co_varnames
    for constant in code.co_consts:
        yield list(_bytecode(constant)) if isinstance(constant, CodeType) else repr(constant)


def _names(code: CodeType) -> set[str]:
    nested = [_names(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*nested)


def _of_object(value: Any, inside: Above) -> str:
    """An object by its class and its attributes; descriptors by the functions that they wrap."""
    wrapped = [getattr(value, name, None) for name in ("__func__", "fget", "fset", "fdel", "func")]
    if any(isinstance(function, FunctionType) for function in wrapped):
        return f"{type(value).__name__} {held_state(wrapped, inside)}"
    try:
        attributes = vars(value)
    except TypeError:
        raise InvalidOption(
            f"runs are told apart by what makes them, and nothing can be said about an object of "
            f"{type(value).__module__}.{type(value).__qualname__}; name the optimizer as MODULE:CLASS, or state a "
            "`version` on its class"
        ) from None
    return f"{held_state(type(value), inside)} {held_state(dict(attributes), inside)}"
