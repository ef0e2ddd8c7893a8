"""Train the surrogates `taskset-surrogate/0..11` and write them into tabular/data/surrogates.

    python scripts/pack_taskset_surrogates.py taskset_text_rnn.npz

The source is that of github releaunifreiburg/DyHPO, commit cfba15a (Apache-2.0): TaskSet (Metz et al., 2020), 12 text
RNN tasks x 1,000 configurations of Adam x 51 evaluations. The loss is the validation loss. A loss must be finite: where
it is not, or above twice the highest one of an untrained network, it counts as that cap. Of a task whose surrogate does
not reach a held-out rank correlation of .8 no file is written.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from hpo_core import Float, Space
from tabular.recorded.catalogue import TEXT_TASKS
from tabular.surrogates.errors import WeakSurrogate
from tabular.surrogates.families import TASKSET, shipped_path
from tabular.surrogates.from_frame import surrogate_from_frame
from tabular.surrogates.surrogate_file import write_surrogate

CAP = 2.0  # highest loss of an untrained network, times this
ADAM = Space(  # on the scales that Metz et al. (2020) drew the configurations on
    [
        Float("learning_rate", 1e-8, 10.0, log=True),
        Float("one_minus_beta1", 1e-4, 1.0, log=True),
        Float("one_minus_beta2", 1e-6, 1.0, log=True),
        Float("epsilon", 1e-10, 1e3, log=True),
        Float("l1", 1e-8, 10.0, log=True),
        Float("l2", 1e-8, 10.0, log=True),
        Float("linear_decay", 1e-7, 1e-4, log=True),
        Float("exponential_decay", 1e-6, 1e-3, log=True),
    ],
    name="taskset-adam",
)
PROVENANCE = {
    "paper": "Metz et al. (2020), Using a Thousand Optimization Tasks to Learn Hyperparameter Search Strategies",
    "source": "GitHub releaunifreiburg/DyHPO, commit cfba15a, the text RNN tasks of TaskSet",
    "licence": "Apache License 2.0",
    "budgets": "evaluation k was made after 200 (k - 1) steps of Adam: the first is that of the untrained network",
    "hyperparameters": "beta1 and beta2 of the source as 1 - beta1 and 1 - beta2, on whose logarithm they were drawn",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="taskset_text_rnn.npz")
    parser.add_argument("--tasks", type=int, nargs="+", help="only these numbers; all by default")
    options = parser.parse_args()
    data = np.load(options.source, allow_pickle=False)
    for i in options.tasks if options.tasks is not None else range(len(TEXT_TASKS)):
        if not str(data["tasks"][i]).endswith(TEXT_TASKS[i]):
            raise SystemExit(f"task {i} of the source is {data['tasks'][i]}, and {TEXT_TASKS[i]} was expected")
        _pack(i, _configs(data), data["valid"][i].astype(float))


def _configs(data: np.lib.npyio.NpzFile) -> pd.DataFrame:
    frame = pd.DataFrame(data["configs"], columns=[str(name) for name in data["hyperparameters"]])
    for name in ("beta1", "beta2"):
        frame[f"one_minus_{name}"] = 1.0 - frame.pop(name)
    return frame[list(ADAM.names)]


def _pack(i: int, configs: pd.DataFrame, losses: np.ndarray) -> None:
    """Train and write the surrogate of (config, evaluation) losses."""
    cap = CAP * losses[:, 0].max()
    capped = ~(losses <= cap)  # NaN is not
    n_configs, n_budgets = losses.shape
    frame = configs.loc[configs.index.repeat(n_budgets)].reset_index(drop=True)
    frame["evaluation"] = np.tile(np.arange(1, n_budgets + 1), n_configs)
    frame["loss"] = np.where(capped, cap, losses).reshape(-1)
    diverged = f"{capped.mean():.1%} of the losses, not finite or above {cap:.3f}, count as {cap:.3f}: "
    provenance = {**PROVENANCE, "diverged": diverged + "twice the highest loss of an untrained network"}
    try:
        surrogate = surrogate_from_frame(
            frame, loss="loss", budget="evaluation", name=f"{TASKSET}/{i}", space=ADAM, provenance=provenance
        )
    except WeakSurrogate as error:
        print(f"{TASKSET}/{i} is left out: {error}", flush=True)
        return
    write_surrogate(surrogate, shipped_path(str(i)))
    size = shipped_path(str(i)).stat().st_size / 1e6
    print(f"{TASKSET}/{i}: {surrogate.quality}, {surrogate.provenance['model']}, {size:.2f} MB", flush=True)


if __name__ == "__main__":
    main()
