"""Hostile meta-models, meta-data, surrogates and files of recorded tables and networks: as `table_cases` does it."""

import shutil
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import sealed_files
from changes import cut, flipped, own_cache, picked, planted, same_or_refused
from recorded_rows import recorded
from sandbox import Case

from hpo_cli.main import main
from hpo_core import Benchmark
from hpo_core.storage.sealed_hdf5 import Kind, read_sealed
from profet import meta_data, model_file, sampling
from profet.family import own_models, shipped_model
from profet.meta_model import MetaModel
from tabular import TableProblem
from tabular.recorded import family_file
from tabular.recorded.opening import shipped_family
from tabular.surrogates import surrogate_file
from tabular.surrogates.families import own_surrogates
from tabular.surrogates.from_frame import surrogate_from_frame
from tabular.yahpo import surrogate as yahpo
from tabular.yahpo.problem import NetworkProblem
from tabular.yahpo.scenarios import IAML_GLMNET


class Tried(NamedTuple):
    """A kind of file: a sound one, its seal, where imported ones lie (or None), commands, and a use of its reader."""

    good: Path
    kind: Kind
    installed: object
    commands: tuple
    use: object


MODEL_COMMANDS = (
    ("profet", "info", "m.h5"),
    ("profet", "info", "own", "--json"),
    ("profet", "sample", "own", "--n", "2"),
    ("run", "profet-own/3", "rs", "--trials", "3"),
    ("run", "profet-own/0", "tpe", "--trials", "12", "--csv"),
    ("list", "--csv"),
)
SURROGATE_COMMANDS = (
    ("surrogate", "info", "m.h5"),
    ("surrogate", "info", "own", "--json"),
    ("surrogate", "list"),
    ("surrogate", "import", "m.h5", "--name", "theirs"),
    ("run", "own", "rs", "--trials", "3"),
    ("run", "m.h5", "tpe", "--trials", "12", "--json"),
)


def sound_files(folder):
    """A sound file of each kind."""
    model = small_model(folder / "model.h5")
    surrogate = folder / "surrogate.h5"
    surrogate_file.write_surrogate(
        surrogate_from_frame(_rows(), loss="error", name="sound", min_correlation=-1), surrogate
    )
    data = Path(meta_data.__file__).parent / "data" / "svm.h5"
    family = shipped_family("deepar")
    network = yahpo.shipped_path("iaml-glmnet")
    return [
        Tried(model, model_file.KIND, own_models, MODEL_COMMANDS, use_model),
        Tried(surrogate, surrogate_file.KIND, own_surrogates, SURROGATE_COMMANDS, use_surrogate),
        Tried(data, meta_data.KIND, None, (), meta_data.read_meta_data),
        Tried(family, family_file.RECORDED, None, (("table", "verify", "m.h5"),), use_family),
        Tried(network, yahpo.KIND, None, (), use_network),
    ]


def _rows():
    return recorded(50, seed=1, budgets=(1, 3)).drop(columns="repetition")


def small_model(path):
    """A meta-model with a few of the shipped one's draws."""
    whole = model_file.read_model(shipped_model("svm"))
    few = {name: getattr(whole, name) for name in MetaModel.__dataclass_fields__}
    for name in ("loss", "cost"):
        emulator = few[name]
        few[name] = type(emulator)(emulator.network, emulator.theta[:3], emulator.target)
    model_file.write_model(MetaModel(**few), path)
    return path


def use_model(path):
    task = sampling.sample_task(model_file.read_model(path), 3)
    return _evaluated(Benchmark(task))


def use_surrogate(path):
    return _evaluated(Benchmark(str(path)))


def use_family(path):
    header, _ = read_sealed(path, family_file.RECORDED)
    instances = list(header["instances"])[:2] if isinstance(header.get("instances"), dict) else ["electricity"]
    return [_evaluated(Benchmark(TableProblem(family_file.read_instance(path, name)))) for name in instances]


def use_network(path):
    instance = next(iter(IAML_GLMNET.instances))
    return _evaluated(Benchmark(NetworkProblem(IAML_GLMNET, yahpo.read_surrogate(path), instance)))


def _evaluated(benchmark):
    """Losses and costs of some configurations at the first and the last budget."""
    configs = benchmark.space.sample(np.random.default_rng(0), 5)
    found = []
    for budget in (benchmark.budgets[0], benchmark.budgets[-1]):
        for config in configs:
            result = benchmark.objective(config, budget, seed=2)
            found.append((float(result.loss), float(result.cost)))
    return repr((found, benchmark.optimum, benchmark.provenance))


def cases(folder, rng, n):
    """n cases; each file is made when its case is asked for."""
    tried = sound_files(planted(folder))
    before = {each.good: repr(each.use(each.good)) for each in tried}
    path = folder / "hostile.h5"
    for _ in range(n):
        each = picked(tried, rng)
        name = each.kind.noun
        if rng.random() < 0.25:
            content = each.good.read_bytes()
            path.write_bytes(flipped(content, rng) if rng.random() < 0.7 else cut(content, rng))
            yield Case(f"flip of a {name}", partial(same_or_refused, partial(_repr, each, path), before[each.good]))
            continue
        words = sealed_files.made(each.good, path, each.kind, rng)
        if not each.commands or rng.random() < 0.4:
            yield Case(f"{name} {words}", partial(each.use, path))
        else:
            chosen = picked(each.commands, rng)
            yield Case(f"{name} {words}: hpo {' '.join(chosen)}", partial(command, each, path, chosen))


def _repr(each, path):
    return repr(each.use(path))


def command(each, path, words):
    """Run a command of `hpo` on a file that is copied into the current directory, and that has the name `own`."""
    own_cache()
    shutil.copy(path, "m.h5")
    if each.installed is not None:
        each.installed.path("own").parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, each.installed.path("own"))
    return main(list(words))
