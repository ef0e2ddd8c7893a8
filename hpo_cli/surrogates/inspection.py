"""`hpo surrogate list | info | import | remove`; `hpo_cli.surrogates.training` has `train`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.rendering import Column, Output, Row, add_formats

if TYPE_CHECKING:
    from tabular.surrogates import TrainedSurrogate

SURROGATE = "name of a surrogate (see `hpo surrogate list`) or path of a file"
LIST_COLUMNS = [
    Column("name", "{name}"),
    Column("state", "{state}"),
    Column("configurations", "{configurations:,}", right=True),
    Column("spearman", "{spearman:.3f}", right=True),
    Column("best fifth", "{spearman_top:.3f}", right=True),
    Column("model", "{model}", cut=True),
]


def add_list(parser: Parser) -> None:
    parser.explain(
        "Names of the surrogates, with the rank correlation of predicted and recorded losses of held-out "
        "configurations: of all, and of the best fifth."
    )
    add_formats(parser)
    parser.set_defaults(action=_list)


def add_info(parser: Parser) -> None:
    parser.add_argument("surrogate", help=SURROGATE, complete="surrogates")
    add_formats(parser)
    parser.set_defaults(action=_info)


def add_import(parser: Parser) -> None:
    parser.explain("Give a name to a surrogate that was trained elsewhere.")
    parser.add_argument("file", type=Path, help="a file that `hpo surrogate train --out` wrote")
    parser.add_argument("--name", help="name of the benchmark; by default the file's own")
    parser.set_defaults(action=_import)


def add_remove(parser: Parser) -> None:
    parser.explain("Remove a surrogate that you trained or imported.")
    parser.add_argument("name", help="name of the surrogate", complete="own-surrogates")
    parser.set_defaults(action=_remove)


def _list(options: argparse.Namespace, out: Output) -> None:
    from tabular.surrogates.families import own_surrogates, shipped_surrogates

    rows = [_row(name, "your own") for name in own_surrogates.names()]
    out.table(LIST_COLUMNS, [*rows, *(_row(name, "comes with the package") for name in shipped_surrogates())])


def _row(name: str, state: str) -> Row:
    from tabular.surrogates import open_surrogate

    surrogate = open_surrogate(name)
    quality = surrogate.quality
    return {
        "name": name,
        "state": state,
        "configurations": quality.n_configs,
        "spearman": quality.spearman,
        "spearman_top": quality.spearman_top,
        "model": surrogate.provenance["model"],
    }


def _info(options: argparse.Namespace, out: Output) -> None:
    from tabular.surrogates import open_surrogate

    show(open_surrogate(options.surrogate), out)


def show(surrogate: TrainedSurrogate, out: Output, *, space: bool = True) -> None:
    """Print the card of a surrogate, its space among it unless that was said before."""
    quality = surrogate.quality
    title = f"{surrogate.name}: surrogate of {quality.n_rows:,} evaluations of {quality.n_configs:,} configurations"
    facts = _facts(surrogate)
    out.card(title, facts if space else (fact for fact in facts if fact[0] not in ("space", "conditions")))


def _facts(surrogate: TrainedSurrogate) -> Iterator[tuple[str, str, Any]]:
    """Facts about a surrogate for a card: section, name, value."""
    from hpo_core.benchmark import describe_budgets
    from tabular.surrogates.rows.conditions import describe

    yield "", "budgets", describe_budgets(surrogate.budgets)
    if surrogate.optimum is not None:
        yield "", "best loss", surrogate.optimum.loss
        yield "", "best config", surrogate.optimum.config
        yield "", "found as", surrogate.optimum.how
    for h in surrogate.space:
        scale = " (log scale)" if getattr(h, "log", False) else ""
        yield "space", h.name, f"{h.kind} {h.rule}{scale}"
    for condition in surrogate.space.conditions:
        yield "conditions", condition.child, describe(condition)
    yield from _error(surrogate)
    for key, value in surrogate.provenance.items():
        yield "provenance", key, value


def _error(surrogate: TrainedSurrogate) -> Iterator[tuple[str, str, Any]]:
    """What is known of the surrogate's error on held-out configurations."""
    section, quality = "error on held-out configurations", surrogate.quality
    folds = quality.spearman_folds
    yield section, "spearman", f"{quality.spearman:.3f} ({min(folds):.3f} to {max(folds):.3f} over {len(folds)} folds)"
    yield section, "spearman, best fifth", round(quality.spearman_top, 3)
    yield section, "rmse / std of the loss", round(quality.rmse, 3)
    if quality.spearman_budgets is not None:
        yield section, "spearman, mean over budgets", round(quality.spearman_budgets, 3)
    if quality.spearman_cost is not None and quality.cost_factor is not None:
        yield section, "spearman of the cost", round(quality.spearman_cost, 3)
        yield section, "cost wrong by a factor of", round(quality.cost_factor, 3)


def _import(options: argparse.Namespace, out: Output) -> None:
    from tabular.surrogates import read_surrogate
    from tabular.surrogates.families import register

    name = register(read_surrogate(options.file), options.name)
    out.say(f"imported {name}; use it as `hpo run {name} rs` or Benchmark({name!r})")


def _remove(options: argparse.Namespace, out: Output) -> None:
    from tabular.surrogates.families import own_surrogates

    out.say(f"removed {own_surrogates.remove(options.name)}")
