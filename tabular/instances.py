"""What is said about a name FAMILY/INSTANCE whose family has no such instance."""

from __future__ import annotations

from collections.abc import Collection

from hpo_core.errors import UnknownName, nearest


def unknown_instance(family: str, instance: str, known: Collection[str]) -> UnknownName:
    """The error: which instances are nearest, by number where they have numbers, and how to list them."""
    what = f"has no instance {instance!r}{_nearest(instance, known)}" if instance else "needs an instance"
    return UnknownName(
        f"{family!r} {what}; `hpo list --family {family}` shows the {len(known)} benchmarks {family}/INSTANCE"
    )


def _nearest(instance: str, known: Collection[str]) -> str:
    if not (instance.isdecimal() and all(name.isdecimal() for name in known)):
        return nearest(instance, known)
    close = sorted(known, key=lambda name: abs(int(name) - int(instance)))[:3]
    return f"; the nearest are {', '.join(close)}"
