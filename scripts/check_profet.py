"""Do meta-models predict new configurations, and do generated tasks lead to the conclusions of real ones?

    python scripts/check_profet.py                        all checks, about two and a half hours of one core
    python scripts/check_profet.py --only svm,halves      some of those below
    python scripts/check_profet.py --data DIRECTORY       with meta-data files (svm.h5...) from elsewhere

    svm, fcnet, xgboost     a tenth of the configurations held out, five new splits; errors of single weight vectors.
                            The rank correlation is the mean over tasks. Up to three quarters of an SVM task's
                            configurations have the same error; a smooth function has no ties, which limits it
    halves                  Klein (2020), section 8.4.1: the rows of eleven datasets split at random in two halves, and
                            an SVM trained on each of the 22: is the nearest neighbour of a half in the latent space the
                            other half? Klein trains networks, which take hours; needs the extra `collect`
    subsets                 section 8.4.1: the subset sizes of `svm-subsets` as tasks, unknown to the encoder: are they
                            ordered by size along the main latent dimension?
    paper                   svm: one split with the settings of the paper, 3 x 500 units; the fast mode must not be
                            worse; 50 minutes
    pybnn                   svm: log-likelihood on one split against pybnn's network at equal CPU time, if installed
    curves                  ten generated tasks with budgets, on the whole grid: do rank correlations with the last
                            epoch rise with the epoch, and fall from all configurations to the best half, fifth and
                            tenth, as those of measured tables do? Does the cost rise with the budget, and do the losses
                            of a falling learning rate (cosine) move less at the end than those of a constant one?
    forrester               section 8.4.2: optimizers compared pairwise (Mann-Whitney at 5 %, by the regret after 10,
                            20... 50 evaluations, mean of 2 runs) on many real tasks, on nine, and on tasks generated
                            from those nine; six draws of nine. The paper has one draw, 50 evaluations and means of 20
                            runs; with these, nine tasks and generated ones led to the same conclusions here. Seven
                            minutes

Exits with 1 if a check fails.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from tqdm import tqdm

from hpo_core import Benchmark, run
from hpo_core.space.sobol import sobol
from profet import open_model, read_meta_data, sample, train_on
from profet.diagnostics import Scores, held_out_configurations, split_configurations
from profet.inputs import Inputs
from profet.learning.encoder import encode
from profet.meta_data import MetaData
from profet.meta_model import Encoding
from profet.settings import FAST, MODES
from profet.sources import CURVE_BUDGETS, forrester, forrester_parameters, shipped_meta_data
from profet.target import Target
from tabular.statistics import spearman
from tabular.top import top_indices, top_label

SPLITS = range(100, 105)
OPTIMIZERS = ("rs", "de", "tpe", "tpe-univariate")  # not `re`: with one float a mutation is a new random value
NINES = range(1, 7)  # seeds of nine tasks
MARKS = (10, 20, 30, 40, 50)  # evaluations
N_RUNS = 2
N_CURVE_TASKS = 10
N_HALVED_CONFIGS, N_HALVED_ROWS = 100, 1000
SHARES = (100, 50, 20, 10)  # percent
LEVEL = 0.05


def held_out(path: Path, accepted: Callable[[Scores], bool], rule: str) -> bool:
    """Whether the mean scores over the splits are good enough; prints each."""
    data = replace(read_meta_data(path), costs=None)
    found = []
    for split in SPLITS:
        scores = held_out_configurations(data, split)
        found.append(scores)
        print(f"  split {split}: {_line(scores)}", flush=True)
    mean = Scores(*(np.mean([getattr(s, name) for s in found], axis=0) for name in Scores._fields))
    print(f"  mean: {_line(mean)}\n  rule: {rule}")
    return accepted(mean)


def _line(scores: Scores) -> str:
    return (
        f"RMSE / std {scores.share:.3f}, single {scores.single_share:.3f}; Spearman {scores.spearman:.3f}, single "
        f"{scores.single_spearman:.3f}, pooled {scores.pooled_spearman:.3f}; "
        f"log-likelihood {scores.log_likelihood:.2f}; "
        f"within 50/90/99 %: {', '.join(f'{c:.2f}' for c in scores.coverage)}"
    )


def against_paper(path: Path) -> bool:
    """Whether single weight vectors of the fast mode have no larger errors than those of the paper's settings."""
    data = replace(read_meta_data(path), costs=None)
    shares = {}
    for mode, settings in MODES.items():
        scores = held_out_configurations(data, SPLITS[0], settings=settings)
        shares[mode] = scores.single_share
        print(f"  {mode}: {_line(scores)}", flush=True)
    return shares["fast"] <= shares["paper"]


def halves() -> bool:
    """Whether at least 20 of 22 halves have the other half as nearest neighbour."""
    from fcnet_data.collection.meta_data import CLASSIFICATION, family
    from fcnet_data.datasets import open_dataset
    from fcnet_data.trainers import holdout, trainer

    space = family("svm").space
    configs = space.decode(space.from_unit(sobol(len(space), N_HALVED_CONFIGS, 0)))
    losses = []
    for name in tqdm(CLASSIFICATION[:11], "datasets"):
        dataset = open_dataset(name)
        rows = np.random.default_rng(0).permutation(dataset.n_rows)[: 2 * N_HALVED_ROWS]
        for half in (rows[::2], rows[1::2]):
            part = replace(dataset, features=dataset.features[half], target=dataset.target[half])
            losses.append([holdout(trainer("svm"), config, part, seed=0).valid_loss for config in configs])
    positions = _positions(np.array(losses))
    distances = np.linalg.norm(positions[:, None] - positions, axis=2)
    np.fill_diagonal(distances, np.inf)
    right = int(np.sum(distances.argmin(axis=1) == np.arange(22) ^ 1))
    print(f"  {right} of 22 halves have the other half as nearest neighbour; rule: at least 20")
    return right >= 20


def subsets() -> bool:
    """Whether subset sizes are ordered along the latent dimension in which they differ most."""
    table = Benchmark("svm-subsets")
    configs = table.space.sample(np.random.default_rng(0), N_HALVED_CONFIGS)
    losses = np.array([table.objective_batch(configs, budget)[0] for budget in table.budgets])
    positions = _positions(losses)
    main = positions[:, positions.std(axis=0).argmax()]
    order = float(spearman(main[None], np.arange(len(main)))[0])
    print(f"  {len(main)} subset sizes, rank correlation with the main dimension {order:.2f}; rule: 0.9 or -0.9")
    return abs(order) >= 0.9


def _positions(losses: np.ndarray) -> np.ndarray:
    """(T, Q) means of the tasks, each dimension in its lengthscales, like the networks' inputs."""
    encoding = encode((losses - losses.mean()) / losses.std(), FAST, 0)
    return encoding.means * encoding.weights


def against_pybnn(path: Path) -> bool:
    """Whether held-out losses have a higher likelihood than under pybnn's network with as much CPU time."""
    try:
        from pybnn.bohamiann import Bohamiann
    except ImportError as error:
        print(f"  not measured: {error}")
        return True
    data = replace(read_meta_data(path), costs=None)
    start = time.process_time()
    ours = held_out_configurations(data, SPLITS[1])
    allowed = time.process_time() - start
    train, test = (data.only(rows) for rows in split_configurations(len(data.codes), SPLITS[1]))
    start = time.process_time()
    encoding = encode(Target.of(train.losses).standardise(train.losses[:, :, 0]), FAST, 0)
    x, x_test = (_rows(part, encoding) for part in (train, test))
    n_steps, spent = 500, 0.0
    while spent < 0.9 * allowed:  # more steps, from the start, until the time is used up
        n_steps = int(n_steps * (allowed / spent if spent else 1.0))
        model = Bohamiann(print_every_n_steps=10**9, use_double_precision=False)
        before = time.process_time()
        half = n_steps // 2
        options = {"num_steps": n_steps, "num_burn_in_steps": half, "keep_every": max(1, half // 100), "batch_size": 64}
        model.train(x, train.losses.ravel(), lr=1e-2, verbose=False, **options)
        spent = time.process_time() - before
    mean, variance = model.predict(x_test)
    density = -0.5 * ((test.losses.ravel() - mean) ** 2 / variance + np.log(2.0 * np.pi * variance))
    print(f"  log-likelihood {ours.log_likelihood:.2f} in {allowed:.0f} s, pybnn {density.mean():.2f} in {spent:.0f} s")
    return ours.log_likelihood > float(density.mean())


def _rows(data: MetaData, encoding: Encoding) -> np.ndarray:
    """(T N, width) inputs of all observations, at the means of their tasks."""
    x = Inputs(data.space)(data.codes)
    latent = encoding.means * encoding.weights
    return np.concatenate([np.hstack([x, np.tile(h, (len(x), 1))]) for h in latent])


def curves() -> bool:
    """Whether generated learning curves have the properties of measured ones, in the mean over tasks."""
    tasks = sample(open_model("curves"), N_CURVE_TASKS)
    grid = tasks[0].space.grid.codes(np.arange(tasks[0].space.size))
    budgets = [b for b in CURVE_BUDGETS if b in tasks[0].budgets]
    cosine = np.array([config["lr_schedule"] == "cosine" for config in tasks[0].space.decode(grid)])
    correlations, late, costs_rise = [], [], True
    for task in tasks:
        results = [task.evaluate_batch(grid, budget, None) for budget in budgets]
        losses, costs = (np.array(column) for column in zip(*results, strict=True))
        tops = [losses[:, top_indices(losses[-1], percent)] for percent in SHARES]
        correlations.append([spearman(top, top[-1]) for top in tops])
        moved = np.abs(np.log(losses[-1] / losses[budgets.index(85)]))
        late.append([np.median(moved[cosine]), np.median(moved[~cosine])])
        costs_rise = costs_rise and bool((np.diff(costs, axis=0) > 0).all())
    mean = np.mean(correlations, axis=0)  # (shares, budgets)
    for percent, row in zip(SHARES, mean, strict=True):
        print(f"  {top_label(percent):<9}", "  ".join(f"{b}: {c:.2f}" for b, c in zip(budgets, row, strict=True)))
    slow, fast = np.mean(late, axis=0)
    print(f"  median change of a loss from epoch 85 to 100: {slow:.3f} with cosine, {fast:.3f} with a constant rate")
    rises = bool((np.diff(mean[0]) > 0).all())
    middle = mean[:, [4 <= b <= 85 for b in budgets]]
    falls = bool((np.diff(middle.mean(axis=1)) < 0).all())
    print(f"  all rises: {rises}; all > 50 % > 20 % > 10 % between epochs 4 and 85: {falls}; cost rises: {costs_rise}")
    return rises and falls and costs_rise and slow < 0.5 * fast


def forrester_study(n_tasks: int) -> bool:
    """Whether generated tasks agree with real ones in more pairs of optimizers than nine real tasks do."""
    real = _forrester(n_tasks, 1)
    wanted = _conclusions([(b, k) for k, b in enumerate(real)], "real")
    agree = {"nine": 0, "generated": 0}
    groups = range(-(-n_tasks // 9))
    for draw in NINES:
        generated = [Benchmark(task) for task in sample(train_on(forrester(seed=draw), 0), n_tasks)]
        tasks = {
            "nine": [(b, group) for b in _forrester(9, draw) for group in groups],
            "generated": [(b, k) for k, b in enumerate(generated)],
        }
        found = {of: int(np.sum(_conclusions(at, of) == wanted)) for of, at in tasks.items()}
        agree = {of: n + found[of] for of, n in agree.items()}
        print(
            f"  draw {draw}: of {len(wanted)} conclusions from {n_tasks} real tasks, nine lead to {found['nine']}, "
            f"{n_tasks} tasks generated from them to {found['generated']}",
            flush=True,
        )
    print(f"  in all {agree['nine']} and {agree['generated']}; rule: more from generated ones")
    return agree["generated"] > agree["nine"]


def _forrester(n: int, seed: int) -> list[Benchmark]:
    return [Benchmark("forrester", a=float(a), b=float(b)) for a, b in forrester_parameters(n, seed)]


def _mean_regrets(benchmark: Benchmark, optimizer: str, group: int, optimum: float) -> np.ndarray:
    """(marks,) lowest loss after each number of evaluations minus the optimum, averaged over the runs of a group."""
    seeds = range(group * N_RUNS, (group + 1) * N_RUNS)
    runs = [run(benchmark, optimizer, n_trials=MARKS[-1], seed=s).incumbent().losses for s in seeds]
    return np.mean([losses[np.array(MARKS) - 1] for losses in runs], axis=0) - optimum


def _conclusions(at: Sequence[tuple[Benchmark, int]], of: str) -> np.ndarray:
    """Whether the first of an ordered pair of optimizers has lower regrets at 5 %, pair by pair and mark by mark.

    `at` are tasks, each with the index of the group of runs that is made on it.
    """
    from scipy.stats import mannwhitneyu

    line = np.linspace(0.0, 1.0, 10_001)[:, None]
    optima = [float(b.objective_batch(line)[0].min()) for b, _ in at]
    regrets = [
        [_mean_regrets(b, o, k, best) for (b, k), best in zip(tqdm(at, f"{o}, {of}"), optima, strict=True)]
        for o in OPTIMIZERS
    ]
    n = range(len(OPTIMIZERS))
    p = [mannwhitneyu(regrets[i], regrets[j], alternative="less", axis=0).pvalue for i in n for j in n if i != j]
    return np.concatenate(p) < LEVEL


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="names of checks, joined by commas")
    parser.add_argument("--data", type=Path, default=shipped_meta_data("svm").parent)
    parser.add_argument("--tasks", type=int, default=1000, help="real and generated tasks of the Forrester study")
    options = parser.parse_args(arguments)
    data: Path = options.data
    checks: dict[str, Callable[[], bool]] = {
        "svm": lambda: held_out(
            data / "svm.h5",
            lambda s: s.single_share <= 0.12 and s.single_spearman >= 0.85,
            "single RMSE / std <= .12 and single Spearman >= .85",
        ),
        "fcnet": lambda: held_out(data / "fcnet.h5", lambda s: s.single_spearman >= 0.9, "single Spearman >= .90"),
        "xgboost": lambda: held_out(data / "xgboost.h5", lambda s: s.single_spearman >= 0.9, "single Spearman >= .90"),
        "halves": halves,
        "subsets": subsets,
        "paper": lambda: against_paper(data / "svm.h5"),
        "pybnn": lambda: against_pybnn(data / "svm.h5"),
        "curves": curves,
        "forrester": lambda: forrester_study(options.tasks),
    }
    failed = []
    for name in options.only.split(",") if options.only else checks:
        print(name, flush=True)
        passed = checks[name]()
        print(f"  {'passed' if passed else 'FAILED'}", flush=True)
        failed += [] if passed else [name]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
