"""Optimizers of a store by less than their whole label, which may hold a version and options."""

from __future__ import annotations

from collections.abc import Collection

from hpo_core.errors import InvalidOption, UnknownName, nearest


def full_label(text: str, known: Collection[str]) -> str:
    """The one of the known labels that a text stands for.

    That is the text itself, or else the only label whose name without version and options it is (of `module:Class`, the
    class is enough), or else the only one that begins with it.

    Examples
    --------
    >>> full_label("tpe", ["rs", "tpe 0.1.0", "tpe-univariate"])
    'tpe 0.1.0'
    """
    names = {label: label.partition(" ")[0] for label in known}
    for fits in (
        [label for label in known if label == text],
        [label for label in known if text in (names[label], names[label].partition(":")[2])],
        [label for label in known if label.startswith(text)],
    ):
        if len(fits) == 1:
            return fits[0]
        if fits:
            raise InvalidOption(
                f"{text!r} must stand for one optimizer, got {', '.join(map(repr, fits))}; write more of the label"
            )
    raise UnknownName(f"there are no runs of {text!r}{nearest(text, sorted({*known, *names.values()}))}")
