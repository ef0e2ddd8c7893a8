"""`Optimizer` and `StoppingCriterion`: what the run loop talks to, and the ledger of proposals that are pending.

An optimizer is built from a `Space`, the budgets and a seed, never from a benchmark, and is a function of its seed and
of what it is told. Your own class needs no parent:

    class Mine:
        def __init__(self, space, *, budgets=(1,), seed=0):
            self.space, self.rng = space, np.random.default_rng(seed)

        def ask(self):
            return Proposal(self.space.sample(self.rng))

        def tell(self, proposal, loss, cost):
            pass
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from numbers import Integral, Real
from typing import Generic, Protocol, TypeVar

from hpo_core.errors import HpoError
from hpo_core.running.trial import Proposal, Trial


class UnknownProposal(HpoError, ValueError):
    """A result for a proposal that was never asked for, or that was told already."""


class InvalidLoss(HpoError, ValueError):
    """A loss that an optimizer cannot be told."""


class Optimizer(Protocol):
    """Proposes configurations and learns from their losses.

    `ask` returns a proposal, or None while there is nothing to propose: with proposals pending it means *wait for a
    result*, with none pending it means that nothing will ever come, as after the last point of a grid.

    `tell` takes each proposal that was asked for once, in any order, with its loss and the seconds it took. A trial
    that failed is told with a loss of `math.inf`; NaN is refused.

    Two members are optional. A `name` is what a `Run` shows. `n_random` is how many of the proposals so far were
    random, that is, drawn without a look at any loss. Where it is all of them, leaderboards say that the optimizer
    never left its random phase.
    """

    def ask(self) -> Proposal | None: ...
    def tell(self, proposal: Proposal, loss: float, cost: float) -> None: ...


def n_random_of(optimizer: object) -> int | None:
    """How many of an optimizer's proposals were random, None where it does not say."""
    stated = getattr(optimizer, "n_random", None)
    return int(stated) if isinstance(stated, Integral) and not isinstance(stated, bool) else None


class StoppingCriterion(Protocol):
    """Reason to stop after the completed trials, in their order of completion; None to go on."""

    def __call__(self, trials: Sequence[Trial]) -> str | None: ...


Note = TypeVar("Note")


def _is_real(number: object) -> bool:
    """Whether it is a number that a float can hold."""
    try:
        return isinstance(number, Real) and float(number) == number
    except OverflowError:
        return False


class Pending(Generic[Note]):
    """Proposals that were handed out and not told yet, each with what its optimizer remembers about it.

    A proposal is known again by identity, or else, as after a trip through another process, as the oldest pending one
    that is equal to it.
    """

    def __init__(self) -> None:
        self._entries: dict[int, tuple[Proposal, Note]] = {}  # by id; the entry keeps the object, so ids stay apart

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Note]:
        return (note for _, note in self._entries.values())

    def add(self, proposal: Proposal, note: Note) -> Proposal:
        """The proposal itself, now pending."""
        self._entries[id(proposal)] = (proposal, note)
        return proposal

    def take(self, proposal: Proposal, loss: float) -> Note:
        """What was noted about a proposal, which is no longer pending; checks that the loss is a number or inf."""
        if not (loss.__class__ is float or _is_real(loss)) or not loss > -math.inf:  # NaN too
            raise InvalidLoss(
                f"a loss must be a finite number, or math.inf for a trial that failed, got {loss!r}; "
                "the proposal stays pending"
            )
        entry = self._entries.pop(id(proposal), None)
        if entry is None:
            entry = self._entries.pop(self._equal(proposal))
        return entry[1]

    def _equal(self, proposal: Proposal) -> int:
        for key, (candidate, _) in self._entries.items():
            if candidate == proposal:
                return key
        raise UnknownProposal(
            f"only a pending proposal can be told, once; this one was never asked for or was told already "
            f"({len(self)} pending): {proposal!r}"
        )
