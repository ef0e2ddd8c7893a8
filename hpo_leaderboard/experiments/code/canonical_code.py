"""Python code without what does not change its meaning: comments, formatting and docstrings."""

from __future__ import annotations

import ast
from typing import Any

WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
WITHOUT_MEANING = ("ctx", "kind", "type_comment", "type_ignores")


def canonical_code(tree: ast.AST) -> bytes:
    """The tree in one form for all versions of Python, which `ast.dump` is not: empty fields are left out."""
    parts: list[str] = []
    _write(tree, parts)
    return " ".join(parts).encode("utf-8", "surrogatepass")


def _write(value: Any, parts: list[str]) -> None:
    if isinstance(value, ast.AST):
        parts.append(type(value).__name__)
        for field in value._fields:
            content = getattr(value, field, None)
            if field == "body" and isinstance(value, WITH_DOCSTRING):
                content = _without_docstring(value.body)
            if content is not None and content != [] and field not in WITHOUT_MEANING:
                parts.append(f"{field}=")
                _write(content, parts)
        parts.append(")")
    elif isinstance(value, list):
        parts.append("[")
        for item in value:
            _write(item, parts)
        parts.append("]")
    else:
        parts.append(repr(value))


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
    return body
