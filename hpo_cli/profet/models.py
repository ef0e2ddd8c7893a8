"""`hpo profet train | sample | info | plot | remove`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.rendering import Column, Output, Row, add_formats

if TYPE_CHECKING:
    from profet import MetaData, MetaModel

PICTURES = ("latent", "samples", "distribution", "calibration")
N_CONFIGS = 1000
MODEL = "family, or path of a model file"
TRAIN_NOTES = """\
A model of your own comes before a built-in one of the same name, so such a name is refused without --replace.
`hpo profet remove svm` removes yours; Benchmark("profet-svm/0", built_in=True) always opens the built-in model.
"""
SAMPLE_COLUMNS = [
    Column("task", "{task}"),
    Column("lowest", "{lowest:.3g}", right=True),
    Column("median", "{median:.3g}", right=True),
    Column("highest", "{highest:.3g}", right=True),
    Column("median s", "{seconds:.3g}", right=True),
    Column("best of them", lambda row: _words(row["best"]), cut=True),
]


def add_train(parser: Parser) -> None:
    parser.explain("Train a meta-model.", TRAIN_NOTES)
    parser.add_argument("data", help="svm, fcnet, xgboost, mlp, curves, forrester, or path of a meta-data file")
    parser.add_argument("--seed", type=int, default=0, help="of the training (default 0)")
    parser.add_argument("--mode", default="fast", help="fast (default), or paper: 3 x 500 units, about an hour")
    parser.add_argument("--name", help="of the model; by default the family's")
    parser.add_argument("--replace", action="store_true", help="hide a built-in model of that name on this machine")
    parser.add_argument("--out", type=Path, help="file to write; by default into the cache, as profet-NAME/0")
    parser.set_defaults(action=_train)


def add_sample(parser: Parser) -> None:
    parser.add_argument("model", help=MODEL, complete="models")
    parser.add_argument("--n", type=int, default=3, help="how many (default 3)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample; 0 gives profet-FAMILY/0, /1...")
    parser.add_argument("--latent", default="tasks", help="where they lie: tasks (default), or between")
    parser.add_argument("--plot", type=Path, help="picture to write")
    add_formats(parser)
    parser.set_defaults(action=_sample)


def add_info(parser: Parser) -> None:
    parser.add_argument("model", help=MODEL, complete="models")
    add_formats(parser)
    parser.set_defaults(action=_info)


def add_plot(parser: Parser) -> None:
    parser.add_argument("model", help=MODEL, complete="models")
    parser.add_argument("picture", choices=PICTURES)
    parser.add_argument("--data", type=Path, help="meta-data it was trained on; by default those of its family")
    parser.add_argument("--out", type=Path, required=True, help="file to write; its ending says the format")
    parser.set_defaults(action=_plot)


def add_remove(parser: Parser) -> None:
    parser.explain("Remove a model that you trained. A built-in model of the same name is found again.")
    parser.add_argument("name", help="name of the model", complete="own-models")
    parser.set_defaults(action=_remove)


def _model(name: str) -> MetaModel:
    import profet

    return profet.read_model(Path(name)) if os.path.isfile(name) else profet.open_model(name)


def _data(name: str) -> MetaData:
    from profet import read_meta_data
    from profet.sources import meta_data

    return read_meta_data(Path(name)) if os.path.isfile(name) else meta_data(name)


def _train(options: argparse.Namespace, out: Output) -> None:
    from dataclasses import replace

    from profet import train_on, write_model
    from profet.family import check_model_name, own_models, progress_bar
    from profet.settings import settings_of

    settings = settings_of(options.mode)
    data = _data(options.data)
    name = options.name or data.family
    check_model_name(name, replace=options.replace or options.out is not None)
    model = train_on(replace(data, family=name), options.seed, settings=settings, progress=progress_bar)
    path = options.out or own_models.path(name)
    write_model(model, path)
    out.say(f"wrote {path} ({path.stat().st_size / 1e6:.1f} MB)")
    if options.out is None:
        out.say(f"its tasks: profet-{name}/0, profet-{name}/1, ...")
        if own_models.covers(name):
            out.say(f"it covers the built-in {name}; `hpo profet remove {name}` uncovers that one")


def _sample(options: argparse.Namespace, out: Output) -> None:
    from profet import sample

    model = _model(options.model)
    tasks = sample(model, options.n, options.seed, latent=options.latent)
    out.say(f"losses and seconds of {N_CONFIGS} random configurations\n")
    out.table(SAMPLE_COLUMNS, list(_sample_rows(model, tasks)))
    if options.plot:
        from profet import pictures

        pictures.write(pictures.samples(model, tasks), options.plot)
        out.say(f"\nwrote {options.plot}")


def _sample_rows(model: MetaModel, tasks: Any) -> Iterator[Row]:
    import numpy as np

    codes = model.space.encode(model.space.sample(np.random.default_rng(0), N_CONFIGS))
    for task in tasks:
        losses, costs = task.evaluate_batch(codes, task.budgets[-1], None)
        yield {
            "task": task.name,
            "lowest": losses.min(),
            "median": np.median(losses),
            "highest": losses.max(),
            "seconds": np.median(costs),
            "best": model.space.decode(codes[[losses.argmin()]])[0],
        }


def _words(config: dict[str, Any]) -> str:
    return ", ".join(f"{k}={v:.3g}" if isinstance(v, float) else f"{k}={v}" for k, v in config.items())


def _info(options: argparse.Namespace, out: Output) -> None:
    model = _model(options.model)
    source = model.provenance.get("source") or model.provenance.get("made by", "own data")
    facts = {
        "checksum": model.checksum,
        "hyperparameters": ", ".join(model.space.names),
        "budgets": f"{model.budgets[0]}..{model.budgets[-1]}",
        "trained on": f"{len(model.tasks)} tasks: {', '.join(model.tasks)}",
        "source": source,
        "latent": f"{model.encoding.means.shape[1]} dimensions, {int((model.encoding.weights > 0).sum())} in use",
        "loss": f"{len(model.loss.theta)} weight vectors of a network {'-'.join(map(str, model.loss.network.sizes))}",
        "cost": f"{len(model.cost.theta)} weight vectors" if model.cost else "one nominal second",
        "seed": model.provenance.get("seed"),
    }
    out.card(f"meta-model {model.name}", (("", name, value) for name, value in facts.items()))


def _plot(options: argparse.Namespace, out: Output) -> None:
    from profet import pictures, sample

    model = _model(options.model)
    if options.picture == "latent":
        drawn = pictures.latent_space(model)
    else:
        data = _data(str(options.data) if options.data else model.name)
        if options.picture == "samples":
            drawn = pictures.samples(model, sample(model, 10 if len(model.space) == 1 else 3), data)
        elif options.picture == "distribution":
            drawn = pictures.distribution(model, data)
        else:
            drawn = pictures.calibration(model, data)
    pictures.write(drawn, options.out)
    out.say(f"wrote {options.out}")


def _remove(options: argparse.Namespace, out: Output) -> None:
    from profet.family import built_in_models, own_models

    out.say(f"removed {own_models.remove(options.name)}")
    if options.name in built_in_models():
        out.say(f"{options.name} is the built-in model again")
