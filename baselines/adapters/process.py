"""Optimizers in processes of their own, which speak `ask` and `tell` as lines of JSON; docs/process_adapter.md.

A library whose dependencies do not go together with ours runs in an environment of its own, and a program in any
language can join. `optimizer("dehb-lib@ENV", space)` starts the interpreter of ENV with a worker file of ours;
`baselines.adapters.parts.peer_names` has all spellings. The process starts when the optimizer is built and ends with
it. Its answers are checked as strictly as if they came from a stranger.

The peer sees hyperparameters alone, each with more than one value: no conditions, clauses or lists. A configuration
leaves out what the conditions switch off. What is forbidden is told as failed, and the peer is asked again, up to 20
times; then a random configuration that is allowed is evaluated, of which the peer is told nothing. In a space with a
list the nearest configuration of the list is evaluated, and its loss told for what was proposed.

A run is a function of its seed if the peer's answers are: it gets the seed, one thread for each numerical library, and
PYTHONHASHSEED=0.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from baselines.adapters.parts.conversation import Conversation
from baselines.adapters.parts.peer_names import Started, peer_of, started
from baselines.adapters.parts.searched import Searched
from hpo_core.errors import HpoError, InvalidBudget, InvalidConfig, InvalidOption, UnsupportedSpace
from hpo_core.running.optimizer import Optimizer, Pending
from hpo_core.running.trial import Proposal
from hpo_core.shown_text import visible
from hpo_core.space import Space
from hpo_core.space.plain_data import config_from_json, space_to_json

PROTOCOL = 1
PATIENCE = 120.0  # seconds that an answer may take
UNTOLD = -1  # number of a proposal that is none of the peer's
MOST_ERROR = 1000  # characters of a peer's own error
MOST_VERSION = 200
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA")
KINDS: dict[str, type[HpoError]] = {
    "option": InvalidOption,
    "missing": InvalidOption,
    "space": UnsupportedSpace,
    "budgets": InvalidBudget,
}


def __getattr__(name: str) -> Callable[..., Optimizer]:
    """The class of a peer process by its name: what `MODULE:NAME@ENV` is resolved to."""
    if "@" not in name:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    started(name)  # a name that says nothing is refused before anything is built
    return partial(PeerProcess, name)


class PeerProcess:
    """An optimizer in another process.

    Parameters
    ----------
    peer
        NAME@ENV, FILE.py@ENV or cmd@COMMAND.
    space, budgets, seed
        As in `baselines.optimizer`.
    reply_seconds
        How long an answer may take.
    options
        Passed on to the peer.

    Attributes
    ----------
    name
        As the peer was named.
    version
        Library and version as the peer states them, and a digest of the worker's files.
    outside_seconds
        CPU seconds of the peer in `ask` and `tell`; where it does not say, those of the clock on the wall.
    """

    def __init__(
        self,
        peer: str,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        reply_seconds: float = PATIENCE,
        **options: Any,
    ):
        if not reply_seconds > 0:
            raise InvalidOption(f"reply_seconds must be above 0, got {reply_seconds!r}")
        self.name = peer
        self._searched = Searched(space, peer, seed)
        self._flat = Space(list(self._searched.space))
        self._pending: Pending[int] = Pending()
        self._n_asked = 0
        self.outside_seconds = 0.0
        begun, known = started(peer), peer_of(peer)
        self._peer = Conversation(f"the peer {peer!r}", begun.command, peer_environment(), reply_seconds)
        self.version = self._greeted(begun)
        self._said(
            {
                "do": "build",
                "space": space_to_json(self._flat)["hyperparameters"],
                "budgets": list(budgets),
                "seed": seed % 2**32,
                "options": {**options, **dict(known.fixed if known is not None else ())},
            }
        )

    def ask(self) -> Proposal | None:
        try:
            config, (number, budget) = self._searched.propose(self._asked, self._refuse, self._entered)
        except _NothingLeft:
            return None
        return self._pending.add(Proposal(config, budget), number)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        number = self._pending.take(proposal, loss)
        if number != UNTOLD:
            self._timed({"do": "tell", "number": number, "loss": _plain(loss), "cost": _plain(cost)})

    def _asked(self) -> tuple[dict[str, Any], tuple[int, float | None]]:
        answer = self._timed({"do": "ask", "number": self._n_asked})
        values, budget = answer.get("config"), answer.get("budget")
        if values is None and "config" in answer:
            raise _NothingLeft
        if not isinstance(values, dict) or isinstance(budget, bool) or not isinstance(budget, (int, float, type(None))):
            self._peer.fail(f"must propose a config and a budget, got {_words(answer)}")
        try:
            checked = self._flat.check(config_from_json(values))
        except (InvalidConfig, ValueError) as error:
            self._peer.close()
            raise InvalidConfig(f"the peer {self.name!r} proposed what is not in the space: {error}") from error
        self._n_asked += 1
        return self._searched.completed(checked), (self._n_asked - 1, budget)

    def _refuse(self, handle: tuple[int, float | None]) -> None:
        self._timed({"do": "tell", "number": handle[0], "loss": None, "cost": 0.0})

    @staticmethod
    def _entered(config: dict[str, Any]) -> tuple[int, float | None]:
        return UNTOLD, None

    def _greeted(self, begun: Started) -> str:
        """What the peer says it is."""
        answer = self._said({"do": "hello", "protocol": PROTOCOL})
        if answer.get("protocol") != PROTOCOL or not isinstance(answer.get("version"), str):
            self._peer.fail(f"must greet with protocol {PROTOCOL} and its version as a text, got {_words(answer)}")
        stated = visible(answer["version"], keep="")[:MOST_VERSION]
        return ", ".join(filter(None, [stated, f"worker {begun.digest}"]))

    def _timed(self, message: Mapping[str, Any]) -> dict[str, Any]:
        start = time.perf_counter()
        answer = self._said(message)
        stated = answer.get("cpu")
        if not isinstance(stated, (int, float)) or not 0 <= stated < math.inf:
            stated = time.perf_counter() - start
        self.outside_seconds += stated
        return answer

    def _said(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The peer's answer; its own error is raised as what it says that it is."""
        try:
            answer = self._peer.exchange(message)
        except TypeError as error:  # options that are no JSON
            raise InvalidOption(f"options of {self.name!r} must be JSON values: {error}") from None
        if "error" in answer:
            words = _words(answer["error"])
            kind = KINDS.get(str(answer.get("kind")))
            if kind is None:
                self._peer.fail(f"failed with {words}")
            self._peer.close()
            raise kind(f"the peer {self.name!r} says: {words}{self._recipe(answer)}")
        return answer

    def _recipe(self, answer: Mapping[str, Any]) -> str:
        """How a missing library is installed."""
        known = peer_of(self.name)
        if answer.get("kind") != "missing" or known is None:
            return ""
        return f"; {started(self.name).command[0]} -m pip install {known.install}"


class _NothingLeft(Exception):
    """Ends an `ask` to which the peer answered that there is nothing to propose."""


def peer_environment() -> dict[str, str]:
    """Environment of a peer: ours, without our modules, with one thread and one order of Python's sets."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**own, **{f"{library}_NUM_THREADS": "1" for library in THREADS}, "PYTHONHASHSEED": "0"}


def _plain(number: float) -> float | None:
    """A number for JSON, which has no infinity: None is what failed."""
    return float(number) if math.isfinite(number) else None


def _words(said: object) -> str:
    return visible(str(said))[:MOST_ERROR]
