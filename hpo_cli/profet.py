"""`hpo profet train | sample | info | plot`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_core.errors import InvalidOption

if TYPE_CHECKING:
    from profet import MetaData, MetaModel

EXAMPLES = """\
examples:
  hpo profet sample svm --n 3 --plot out.png      three tasks, their best losses, and a picture of them
  hpo profet train svm.h5 --name mine             a model of meta-data that `hpo collect` wrote; then profet-mine/0
  hpo profet train forrester --mode paper --out forrester.h5
  hpo profet info svm                             what a model was trained on
  hpo profet plot svm latent --out latent.png     latent, samples, distribution or calibration
"""
PICTURES = ("latent", "samples", "distribution", "calibration")
N_CONFIGS = 1000


def add(subcommands: Any) -> None:
    command = subcommands.add_parser(
        "profet",
        help="meta-models: train one, sample tasks from it",
        description="Meta-models that generate tasks (docs/profet.md).",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = command.add_subparsers(dest="profet_action", metavar="ACTION", required=True)
    _add_train(actions)
    _add_sample(actions)
    info = actions.add_parser("info", help="what a model was trained on, and how")
    info.add_argument("model", help="family, or path of a model file")
    info.set_defaults(action=show_info)
    plot = actions.add_parser("plot", help="a picture of a model")
    plot.add_argument("model", help="family, or path of a model file")
    plot.add_argument("picture", choices=PICTURES)
    plot.add_argument("--data", type=Path, help="meta-data it was trained on; by default those of its family")
    plot.add_argument("--out", type=Path, required=True, help="file to write; its ending says the format")
    plot.set_defaults(action=plot_model)


def _add_train(actions: Any) -> None:
    command = actions.add_parser("train", help="train a model")
    command.add_argument("data", help="svm, fcnet, xgboost, mlp, curves, forrester, or path of a meta-data file")
    command.add_argument("--seed", type=int, default=0, help="of the training (default 0)")
    command.add_argument("--mode", default="fast", help="fast (default), or paper: 3 x 500 units, about an hour")
    command.add_argument("--name", help="of the model; by default the family's")
    command.add_argument("--out", type=Path, help="file to write; by default into the cache, as profet-NAME/0")
    command.set_defaults(action=train_model)


def _add_sample(actions: Any) -> None:
    command = actions.add_parser("sample", help="sample tasks from a model")
    command.add_argument("model", help="family, or path of a model file")
    command.add_argument("--n", type=int, default=3, help="how many (default 3)")
    command.add_argument("--seed", type=int, default=0, help="of the sample; 0 gives profet-FAMILY/0, /1...")
    command.add_argument("--latent", default="tasks", help="where they lie: tasks (default), or between")
    command.add_argument("--plot", type=Path, help="picture to write")
    command.set_defaults(action=sample_tasks)


def _model(name: str) -> MetaModel:
    import profet

    return profet.load(Path(name)) if Path(name).is_file() else profet.open_model(name)


def _data(name: str) -> MetaData:
    from profet import read_meta_data
    from profet.sources import meta_data

    return read_meta_data(Path(name)) if Path(name).is_file() else meta_data(name)


def train_model(options: argparse.Namespace) -> None:
    from dataclasses import replace

    from profet import save, train_on
    from profet.family import NAME, progress_bar, trained_model
    from profet.settings import settings_of

    settings = settings_of(options.mode)
    data = _data(options.data)
    name = options.name or data.family
    if NAME.fullmatch(f"profet-{name}/0") is None:
        raise InvalidOption(f"a model's name is made of a-z, 0-9, - and _, got {name!r}")
    model = train_on(replace(data, family=name), options.seed, settings=settings, progress=progress_bar)
    path = options.out or trained_model(name)
    save(model, path)
    print(f"wrote {path} ({path.stat().st_size / 1e6:.1f} MB)")
    if options.out is None:
        print(f"its tasks: profet-{name}/0, profet-{name}/1, ...")


def sample_tasks(options: argparse.Namespace) -> None:
    import numpy as np

    from profet import sample

    model = _model(options.model)
    tasks = sample(model, options.n, options.seed, latent=options.latent)
    codes = model.space.encode(model.space.sample(np.random.default_rng(0), N_CONFIGS))
    print(f"losses and seconds of {N_CONFIGS} random configurations\n")
    print(f"{'task':<24} {'lowest':>9} {'median':>9} {'highest':>9} {'median s':>9}  best of them")
    for task in tasks:
        losses, costs = task.evaluate_batch(codes, task.budgets[-1], None)
        best = model.space.decode(codes[[losses.argmin()]])[0]
        shown = ", ".join(f"{k}={v:.3g}" if isinstance(v, float) else f"{k}={v}" for k, v in best.items())
        numbers = (losses.min(), np.median(losses), losses.max(), np.median(costs))
        print(f"{task.name:<24} " + " ".join(f"{number:>9.3g}" for number in numbers) + f"  {shown}")
    if options.plot:
        from profet import pictures

        pictures.write(pictures.samples(model, tasks), options.plot)
        print(f"\nwrote {options.plot}")


def show_info(options: argparse.Namespace) -> None:
    model = _model(options.model)
    source = model.provenance.get("source") or model.provenance.get("made by", "own data")
    rows = {
        "model": model.name,
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
    for key, value in rows.items():
        print(f"{key:<16} {value}")


def plot_model(options: argparse.Namespace) -> None:
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
    print(f"wrote {options.out}")
