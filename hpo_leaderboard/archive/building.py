"""What an archive of a suite holds by default: every optimizer that can run there, with how many seeds."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from hpo_core.errors import InvalidOption, nearest
from hpo_core.names import optimizers
from hpo_leaderboard.experiments.members import Member
from hpo_leaderboard.experiments.splitting.estimates import MILLISECONDS, UNKNOWN
from hpo_leaderboard.experiments.suite import Suite, changed

FAST, MODEL, SLOW_PEER = 50, 10, 5  # seeds
FAST_MILLISECONDS, SLOW_MILLISECONDS = 3.0, 60.0  # of a proposal
ADAPTERS = "baselines.adapters."
# with its usual population of 100 it would be random search on runs of 100 evaluations
OPTIONS = {"re": {"population": 20, "tournament": 5}}
# settings that are reported as methods of their own, by label
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "de-50": ("de", {"population": 50}),  # Storn and Price (1997) take 5 to 10 for each hyperparameter
    "smac-greedy": ("smac", {"random_fraction": 0.0}),  # without interleaved random configurations
    "cmaes-0.3": ("cmaes", {"sigma": 0.3}),  # Hansen (2006) begins with 0.3 of the range
}


def archived_suite(suite: Suite, *, seeds: range | None = None, without: Collection[str] = ()) -> Suite:
    """The suite with every optimizer by name, beside those that it names itself, and the seeds that each gets.

    Parameters
    ----------
    suite
        Its optimizers come first, as they are; each other one that is registered follows, with its usual options but
        for those of `OPTIONS`, and then the `VARIANTS`.
    seeds
        At most these: a method that would get more runs with the first of them. None for those of `seeds_of`.
    without
        Names of optimizers that are left out.
    """
    known = optimizers()
    for name in without:
        if name not in known:
            raise InvalidOption(f"only an optimizer that is there can be left out, got {name!r}{nearest(name, known)}")
    named = {member.name for member in suite.optimizers}
    others = [Member(name, OPTIONS.get(name, {}), name) for name in known if name not in named]
    others += [Member(name, options, label) for label, (name, options) in VARIANTS.items()]
    members = [*suite.optimizers, *others]
    first, most = (0, FAST) if seeds is None else (seeds.start, len(seeds))
    chosen = [replace(m, n_seeds=min(most, seeds_of(m.name))) for m in members if m.name not in without]
    return changed(suite, optimizers=chosen, n_seeds=most, first_seed=first)


def seeds_of(name: str) -> int:
    """Number of seeds that an optimizer gets: fast ones 50, those with models 10, slow ones of other libraries 5."""
    milliseconds = MILLISECONDS.get(name, (UNKNOWN, UNKNOWN))[0]
    if milliseconds <= FAST_MILLISECONDS:
        return FAST
    return SLOW_PEER if is_peer(name) and milliseconds > SLOW_MILLISECONDS else MODEL


def is_peer(name: str) -> bool:
    """Whether an optimizer is one of another library."""
    target = getattr(optimizers().get(name), "target", "")
    return isinstance(target, str) and target.startswith(ADAPTERS)
