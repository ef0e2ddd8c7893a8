"""Priors of a known quality, as studies of priors need them: the protocol of Mallik et al. (2023), section 6.1.

    near    centred on the best of 50,000 random configurations, moved by normal noise of 1 % of each range
    good    centred on the best of 25 random configurations: what somebody knows after a short search
    bad     centred on the worst of 50,000 random configurations

Losses are the noise-free ones at the full budget, so a study pays nothing for a prior; that is what a prior is: it was
known before. Around its centre each has a standard deviation of a quarter of the range and, for categoricals, four
times the weight of any other value, the authors' medium confidence. Their scripts call these priors good, at25 and bad.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_core import Benchmark
from hpo_core.errors import InvalidOption, nearest
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Categorical, Value
from hpo_core.space.plain_data import prior_to_json
from hpo_core.space.priors import Entry
from hpo_core.space.priors.prior import around

KINDS = ("near", "good", "bad")
MANY, FEW, NOISE = 50_000, 25, 0.01
SEED = 0


def study_prior(benchmark: Benchmark, kind: str, seed: int = SEED) -> dict[str, Entry]:
    """Prior of a known quality for a benchmark, for `Space.with_prior`; a function of its arguments.

    Parameters
    ----------
    benchmark
        Its noise-free losses must take little time.
    kind
        "near", "good" or "bad".
    seed
        Of the random configurations.

    Examples
    --------
    >>> from hpo_core import Benchmark
    >>> from hpo_leaderboard.experiments.study_priors import study_prior
    >>> b = Benchmark("branin")
    >>> near, bad = (b.with_prior(study_prior(b, kind)).space.prior.mode for kind in ("near", "bad"))
    >>> b.objective(near).loss < 1 < 300 < b.objective(bad).loss
    True
    """
    check_kind(kind)
    if not benchmark.noise_free_is_cheap:
        raise InvalidOption(
            f"a {kind} prior needs {MANY:,} evaluations, which take too long on {benchmark.name!r}; state a prior of "
            "your own with Space.with_prior"
        )
    return around(benchmark.space, _centre(benchmark, kind, np.random.default_rng(seed)))


def check_kind(kind: object) -> str:
    """The kind of a prior; raises `InvalidOption` for what is none."""
    if kind not in KINDS:
        hint = nearest(kind, KINDS)
        raise InvalidOption(f"the prior of a suite must be one of {', '.join(KINDS)}, got {kind!r:.60}{hint}")
    return str(kind)


def described_prior(kind: str, prior: dict[str, Entry]) -> dict[str, Any]:
    """What is recorded of a study's prior: its kind, how it was made, and its entries."""
    return {"kind": kind, "seed": SEED, "protocol": "Mallik et al. (2023)", "entries": prior_to_json(prior)}


def _centre(benchmark: Benchmark, kind: str, rng: np.random.Generator) -> dict[str, Value]:
    space = benchmark.space.with_prior(None)
    codes = space.encode(space.sample(rng, FEW if kind == "good" else MANY))
    losses = benchmark.objective_batch(codes)[0]
    finite = np.flatnonzero(np.isfinite(losses))
    if not len(finite):
        raise InvalidOption(f"a prior needs a configuration of {benchmark.name!r} with a finite loss, and none has one")
    chosen = finite[int((np.argmax if kind == "bad" else np.argmin)(losses[finite]))]
    return space.config_of((_moved(space, codes[chosen], rng) if kind == "near" else codes[chosen]).tolist())


def _moved(space: Space, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Codes (d,) with noise on all but categoricals; the same codes if a clause forbids what it makes of them."""
    fixed = np.array([isinstance(h, Categorical) for h in space])
    noise = np.where(fixed, 0.0, NOISE * rng.standard_normal(len(space)))
    moved = space.from_unit(np.clip(space.to_unit(codes[None]) + noise, 0.0, 1.0))
    return moved[0] if space.allowed(moved)[0] else codes
