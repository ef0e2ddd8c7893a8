"""`Settings` of a meta-model's training: a fast mode (reasons in `docs/profet.md`), and that of Klein (2020)."""

from __future__ import annotations

from dataclasses import dataclass

from hpo_core.errors import InvalidOption, UnknownName, nearest
from hpo_models.networks.adam import WarmStart
from hpo_models.networks.bnn import WeightPrior

ENCODERS = ("own", "gpy")


@dataclass(frozen=True)
class Settings:
    """How a meta-model is trained.

    n_latent        Q, dimensions of the latent space; by default five, or the number of tasks if that is smaller
    encoder         `own` for this project's, or `gpy` for that library's model with a squared exponential kernel
    kernel          of the encoder `own`: `matern52` or `rbf`
    units           number of units of each hidden layer
    n_draws         M, weight vectors that are kept; `n_cost_draws` for the cost's network
    n_between       steps of a chain from one kept vector to the next
    batch_size      observations in a minibatch, each with `n_latent_draws` draws of its task's latent vector
    """

    n_latent: int | None = None
    encoder: str = "own"
    kernel: str = "matern52"
    units: tuple[int, ...] = (50, 50, 50)
    prior: WeightPrior = WeightPrior(gain=4.0, bias=2.0, log_noise_mean=-5.0, log_noise_sd=2.0)  # noqa: RUF009  immutable
    n_chains: int = 4
    n_draws: int = 200
    n_cost_draws: int = 100
    n_between: int = 100
    n_burn_in: int = 3000
    step: float = 1e-2
    batch_size: int = 128
    n_latent_draws: int = 1
    warm_start: WarmStart | None = WarmStart(8000, 1e-2)  # noqa: RUF009  immutable

    def __post_init__(self) -> None:
        if self.encoder not in ENCODERS:
            raise InvalidOption(f"no encoder {self.encoder!r}{nearest(self.encoder, ENCODERS)}")

    def n_steps(self, n_draws: int) -> int:
        """Total number of steps of a network's training and sampling."""
        warm = self.warm_start.n_steps if self.warm_start else 0
        return warm + self.n_burn_in + self.n_between * -(-n_draws // self.n_chains)


FAST = Settings()
# Klein (2020), appendix E.6: three layers of 500 units, step length 1e-2, 50,000 steps of burn-in, from random weights.
PAPER = Settings(units=(500, 500, 500), n_chains=1, n_draws=1000, n_between=100, n_burn_in=50_000, warm_start=None)
MODES = {"fast": FAST, "paper": PAPER}


def settings_of(mode: str) -> Settings:
    """Settings by the name of their mode, `fast` or `paper`."""
    try:
        return MODES[mode]
    except KeyError:
        raise UnknownName(f"no mode {mode!r}{nearest(mode, MODES)}") from None
