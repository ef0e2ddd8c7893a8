"""The tables of the report in LaTeX, for \\input; they need the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hpo_leaderboard.report.tables import Cell, Row

SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "∞": r"$\infty$",
}
BOARD_CAPTION = (
    "Mean rank of the final regret with 95\\,\\% interval, median final regret, the same relative to a first "
    "incumbent's, share of targets reached with 95\\,\\% bootstrap interval, and CPU milliseconds of the optimizer per "
    "trial."
)
REGRET_CAPTION = "Median final regret over runs; the lowest in bold."


def board_table(rows: Sequence[Row], benchmarks: Sequence[str]) -> str:
    """LaTeX of the leaderboard of a group."""
    head = ["optimizer", "rank", "95\\,\\%", "regret", "relative", "targets reached", "95\\,\\%", "ms/trial"]
    body = [
        [
            escaped(row.optimizer),
            row.rank,
            row.rank_interval,
            latex_number(row.regret),
            latex_number(row.relative),
            escaped(row.reached).replace(" ", "\\,"),
            row.reached_interval,
            latex_number(row.overhead),
        ]
        for row in rows
    ]
    return _table("lrlrrrlr", head, body, f"{BOARD_CAPTION} Benchmarks: {escaped(', '.join(benchmarks))}.")


def regret_table(rows: Sequence[tuple[str, Sequence[Cell]]], optimizers: Sequence[str]) -> str:
    """LaTeX of the final regrets of a group, a row for each benchmark."""
    body = [
        [escaped(benchmark), *(latex_number(cell.text, bold=cell.best) for cell in cells)] for benchmark, cells in rows
    ]
    return _table("l" + "r" * len(optimizers), ["benchmark", *map(escaped, optimizers)], body, REGRET_CAPTION)


def _table(columns: str, head: Sequence[str], body: Sequence[Sequence[str]], caption: str) -> str:
    lines = [" & ".join(row) + r" \\" for row in (head, *body)]
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{caption}}}",
            r"\centering",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def latex_number(text: str, bold: bool = False) -> str:
    """A number as shown on the page, with its power of ten written out: 3.2e-05 as $3.2\\times10^{-5}$.

    \\textbf does not reach into math: there \\boldmath does, which stands before the $ and ends with the group.
    """
    found = re.fullmatch(r"(-?[\d.]+)e([+-]\d+)", text)
    number = rf"${found[1]}\times10^{{{int(found[2])}}}$" if found else escaped(text)
    if not bold:
        return number
    return rf"{{\boldmath{number}}}" if number.startswith("$") else rf"\textbf{{{number}}}"


def escaped(text: str) -> str:
    """The text with the characters that mean something to LaTeX written so that they are printed.

    >>> print(escaped("tpe_v2 (50%)"))
    tpe\\_v2 (50\\%)
    """
    return "".join(SPECIAL.get(character, character) for character in text)
