"""Is it right to retrain on all data? The synthetic study of Ram et al. (2022), section 3.2 and appendix D, repeated.

Networks (depth 1-3, 10 or 100 units, rate 0.01 or 0.1, batches of 8, 32 or 128: 36 configurations, or the 18 with rate
0.1) classify points of scikit-learn's make_classification without label noise. The best one on mu held-out rows is
deployed unchanged (g), retrained on all n rows (f), or one of them by heuristic 3.1 (choice). The script prints mean
errors on fresh points over trials, and settings in which the choice is worse than always or never retraining; then the
costs and savings of the tolerances of heuristics 3.2 and B.1.

A subset of the paper's study by default: n up to 2^11 rather than 2^14, 2 restarts of each training rather than 5, 40
epochs as "exact". The paper does not describe the 18 configurations. Training to a tolerance rho means: stop after the
first epoch whose training error is within rho of the lowest of all 40 epochs and restarts.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import pandas as pd
from tqdm import tqdm

from baselines.deployment import inner_tolerance, outer_tolerance, retrain

EPOCHS = 40
N_FEATURES = 20
N_TEST = 4000
CONFIGS = list(product((1, 2, 3), (10, 100), (0.1, 0.01), (8, 32, 128)))  # depth, units, rate, batch size
SPACES = {36: CONFIGS, 18: [config for config in CONFIGS if config[2] == 0.1]}
RHOS = (0.0, 0.001, 0.01, 0.1)
RATIOS = (0.1, 1.0, 2.0, 10.0)  # rho_out / rho_in, as in figures 4 and 5


@dataclass(frozen=True)
class Path:
    """Errors (epochs, restarts) of a training on the rows trained on, on the held-out rows and on fresh points."""

    train: np.ndarray
    held_out: np.ndarray
    fresh: np.ndarray

    def stop(self, rho: float) -> tuple[int, int]:
        """First epoch, and its best restart, whose training error is within rho of the lowest."""
        best = self.train.min(axis=1)
        epoch = int(np.argmax(best <= best.min() + rho + 1e-12))
        return epoch, int(np.argmin(self.train[epoch]))


def train(config: tuple, rows: np.ndarray, labels: np.ndarray, others: list, rng: np.random.Generator, restarts: int):
    """Errors of networks trained by SGD on the logistic loss, all restarts at once.

    Parameters
    ----------
    config
        Depth, units, learning rate and batch size.
    rows, labels
        To train on.
    others
        Held-out and fresh points with their labels.
    rng
        Of initial weights and shuffles.
    restarts
        Number of networks.

    Returns
    -------
    Path
        Errors after each epoch.
    """
    depth, units, rate, batch = config
    sizes = [rows.shape[1], *[units] * depth, 1]
    weights = [rng.normal(0, np.sqrt(2 / a), (restarts, a, b)) for a, b in pairwise(sizes)]
    biases = [np.zeros((restarts, 1, b)) for b in sizes[1:]]

    def forward(x: np.ndarray) -> list[np.ndarray]:
        values = [np.broadcast_to(x, (restarts, *x.shape))]
        for k, (w, b) in enumerate(zip(weights, biases, strict=True)):
            z = values[-1] @ w + b
            values.append(np.maximum(z, 0) if k < depth else z)
        return values

    def errors(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.mean((forward(x)[-1][..., 0] > 0) != y, axis=1)

    found = []
    for epoch in range(EPOCHS):
        step = rate / np.sqrt(1 + epoch)
        order = rng.permutation(len(rows))
        for start in range(0, len(rows), batch):
            part = order[start : start + batch]
            values = forward(rows[part])
            probability = 1 / (1 + np.exp(-np.clip(values[-1], -30, 30)))
            delta = (probability - labels[part][:, None]) / len(part)
            for k in range(depth, -1, -1):
                d_weights, d_biases = values[k].swapaxes(1, 2) @ delta, delta.sum(axis=1, keepdims=True)
                if k:
                    delta = delta @ weights[k].swapaxes(1, 2) * (values[k] > 0)
                weights[k] -= step * d_weights
                biases[k] -= step * d_biases
        found.append([errors(rows, labels), *(errors(x, y) for x, y in others)])
    return Path(*np.moveaxis(np.array(found), 1, 0))


def points(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """n training points, followed by fresh ones of the same distribution."""
    from sklearn.datasets import make_classification

    x, y = make_classification(
        n + N_TEST, N_FEATURES, n_informative=8, n_redundant=4, n_clusters_per_class=4, class_sep=1.5, flip_y=0,
        random_state=seed,
    )  # fmt: skip
    return (x - x.mean(axis=0)) / x.std(axis=0), y


def one_trial(n: int, share: float, seed: int, restarts: int) -> list[dict]:
    """Rows of the study for one sample of points.

    Parameters
    ----------
    n, share
        Number of points, and the share that is held out.
    seed, restarts
        Of the sample; and number of restarts of each training.

    Returns
    -------
    list of dict
        One row per space, tolerance and ratio.
    """
    rng = np.random.default_rng([seed, n, round(100 * share)])
    x, y = points(n, int(rng.integers(2**31)))
    mu = round(share * n)
    m = n - mu
    fresh, held_out = (x[n:], y[n:]), (x[m:n], y[m:n])
    inner = [train(c, x[:m], y[:m], [held_out, fresh], rng, restarts) for c in CONFIGS]
    outer: dict[int, Path] = {}
    rows = []
    for L, space in SPACES.items():
        members = [CONFIGS.index(config) for config in space]
        tolerances = [("rho", rho) for rho in RHOS]
        tolerances += [(f"gamma={g:g}", inner_tolerance(m, mu, L, gamma=g)) for g in (0.1, 1.0, 10.0)]
        for label, rho_in in tolerances:
            stops = {i: inner[i].stop(rho_in) for i in members}
            best = min(members, key=lambda i: inner[i].held_out[stops[i]])
            g = stops[best]
            if best not in outer:
                outer[best] = train(CONFIGS[best], x[:n], y[:n], [held_out, fresh], rng, restarts)
            path = outer[best]
            risk_g = (m * inner[best].train[g] + mu * inner[best].held_out[g]) / n
            epochs = sum(stop[0] + 1 for stop in stops.values())
            shared = {"L": L, "n": n, "mu/n": share, "seed": seed, "rho_in": rho_in, "label": label, "epochs": epochs}
            for ratio in RATIOS if rho_in > 0 else (1.0,):
                f = path.stop(ratio * rho_in)
                chosen = retrain(risk_g, path.train[f], n, L)
                error_g, error_f = inner[best].fresh[g], path.fresh[f]
                row = {"ratio": ratio, "never": error_g, "always": error_f, "retrained": chosen}
                rows.append({**shared, **row, "choice": error_f if chosen else error_g})
            if label == "gamma=0.1":
                tried = outer_tolerance(lambda rho: risk_g - path.train[path.stop(rho)], rho_in, m, mu, L)  # noqa: B023
                f = path.stop(tried[-1][0])
                rows.append({**shared, "label": "B.1", "ratio": tried[-1][0] / rho_in, "epochs": f[0] + 1,
                             "always": path.fresh[f], "never": path.fresh[path.stop(0.0)]})  # fmt: skip
    return rows


def report(study: pd.DataFrame) -> None:
    """Print the tables."""
    plain = study[study.label == "rho"]
    errors = ["always", "never", "choice"]
    keys = ["L", "n", "mu/n", "rho_in", "ratio"]
    means = plain.groupby(keys)[errors].mean()
    gaps = plain.assign(gap=plain.choice - plain[["always", "never"]].min(axis=1)).groupby(keys).gap
    better = means[["always", "never"]].min(axis=1)
    print("\nHeuristic 3.1: mean error on fresh points, by rho_out / rho_in")
    print(plain.groupby(["L", "ratio"])[[*errors, "retrained"]].mean().round(4).to_string())
    worse = means.choice > better + 2 * gaps.sem()
    print(f"\nsettings (of {len(means)}) where the choice is worse than the better of always and never")
    print(f"  by more than two standard errors: {int(worse.sum())}")
    print(f"  than always, by any amount: {int((means.choice > means.always).sum())}")
    print(f"  than never, by any amount: {int((means.choice > means.never).sum())}")
    if worse.any():
        print(means[worse].round(4).to_string())
    inner = study[study.label.str.startswith("gamma") & (study.ratio == 1.0)]
    exact = plain[plain.rho_in == 0].set_index(["L", "n", "mu/n", "seed"])
    joined = inner.set_index(["L", "n", "mu/n", "seed"]).join(exact[["never", "epochs"]].add_suffix(" exact"))
    joined["speed-up"] = joined["epochs exact"] / joined["epochs"]
    print("\nHeuristic 3.2: rho_in by gamma; error of g, error with exact training, and speed-up in epochs")
    print(joined.groupby(["L", "label"])[["rho_in", "never", "never exact", "speed-up"]].mean().round(4).to_string())
    outer = study[study.label == "B.1"].assign(speedup=lambda d: EPOCHS / d.epochs)
    print("\nHeuristic B.1 (gamma 0.005): error of f, error with exact training, and speed-up in epochs")
    print(outer.groupby("L")[["always", "never", "speedup"]].mean().round(4).to_string())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="9,10,11", help="binary logarithms of n (default 9,10,11)")
    parser.add_argument("--shares", default="0.1,0.3,0.5", help="held-out shares mu/n (default 0.1,0.3,0.5)")
    parser.add_argument("--trials", type=int, default=5, help="samples of each size (default 5; the paper has 10)")
    parser.add_argument("--restarts", type=int, default=2, help="of each training (default 2; the paper has 5)")
    parser.add_argument("--out", help="CSV file for the raw rows")
    options = parser.parse_args()
    jobs = [(2 ** int(s), float(share), seed) for s in options.sizes.split(",") for share in options.shares.split(",")
            for seed in range(options.trials)]  # fmt: skip
    rows = [row for job in tqdm(jobs) for row in one_trial(*job, options.restarts)]
    study = pd.DataFrame(rows)
    if options.out:
        study.to_csv(options.out, index=False)
    report(study)


if __name__ == "__main__":
    main()
