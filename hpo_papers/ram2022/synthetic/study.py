"""What comes of training paths: which network is selected at a tolerance, and how it does when it is trained again.

rho_in, rho_out    tolerances; a training to rho stops after its first epoch within rho of the lowest risk
g                  the network with the fewest errors on the held-out points, trained on m points
f                  the same network trained on all n
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from hpo_papers.frame.work import Work
from hpo_papers.ram2022.synthetic.paths import PLANS, paths
from hpo_papers.ram2022.synthetic.scale import Scale, held_out_rows

SPACES = {36: list(range(len(PLANS))), 18: [k for k, plan in enumerate(PLANS) if plan.learning_rate == 0.1]}
SLACK = 1e-9  # of comparisons of shares that were rounded to six digits

TrainedPath = Mapping[str, Any]  # as `paths` returns them


class Sample(NamedTuple):
    """One sample of n points, mu of them held out."""

    n: int
    share: float
    trial: int

    @property
    def mu(self) -> int:
        return held_out_rows(self.n, self.share)

    @property
    def m(self) -> int:
        return self.n - self.mu


class Reached(NamedTuple):
    """Where a training to a tolerance ends: epochs, training risk, errors on held-out and on fresh points."""

    epochs: int
    train: float
    held_out: float
    fresh: float


class Selected(NamedTuple):
    """The best network of a space: its place in `PLANS`, where its training ended, and the epochs of all trainings."""

    member: int
    reached: Reached
    epochs: int


def samples_of(scale: Scale) -> list[Sample]:
    """All samples of a study."""
    return [Sample(n, share, t) for n in scale.sizes for share in scale.shares for t in range(scale.trials)]


def compared(work: Work, cloud: str, scale: Scale) -> dict[Sample, list[TrainedPath]]:
    """Paths of all networks for each sample, trained on its m points."""
    samples = samples_of(scale)
    members = SPACES[36]
    calls = [(cloud, s.n, s.m, s.trial, scale.restarts, scale.epochs, members) for s in samples]
    return dict(zip(samples, work.parts(paths, calls), strict=True))


def trained_again(
    work: Work, cloud: str, scale: Scale, needed: Iterable[tuple[Sample, int]]
) -> dict[tuple[int, int, int], TrainedPath]:
    """Paths on all n points by (n, trial, member), which do not depend on the share that was held out."""
    keys = sorted({(sample.n, sample.trial, member) for sample, member in needed})
    calls = [(cloud, n, n, trial, scale.restarts, scale.epochs, [member]) for n, trial, member in keys]
    return {key: found[0] for key, found in zip(keys, work.parts(paths, calls), strict=True)}


def reached(path: TrainedPath, rho: float, risk: str = "error") -> Reached:
    """Where a training to a tolerance ends; `risk` is "error" or "loss"."""
    rows = path[risk]
    limit = rows[-1][1] + rho + SLACK
    return Reached(*next(row for row in rows if row[1] <= limit))


def select(candidates: Sequence[TrainedPath], space: Sequence[int], rho: float, risk: str = "error") -> Selected:
    """The network of a space with the fewest errors on held-out points, the first of them where several are equal."""
    ends = {member: reached(candidates[member], rho, risk) for member in space}
    best = min(space, key=lambda member: ends[member].held_out)
    return Selected(best, ends[best], sum(end.epochs for end in ends.values()))


def risk_on_all(sample: Sample, end: Reached) -> float:
    """E_n(g), the share of errors on all n points of a network that was trained on m of them."""
    return (sample.m * end.train + sample.mu * end.held_out) / sample.n
