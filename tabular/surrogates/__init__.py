"""Surrogates: models of recorded evaluations that stand in for the evaluations (Eggensperger et al., 2015)."""

from tabular.surrogates.families import open_surrogate
from tabular.surrogates.from_frame import surrogate_from_frame
from tabular.surrogates.problem import SurrogateProblem
from tabular.surrogates.surrogate import TrainedSurrogate
from tabular.surrogates.surrogate_file import read_surrogate, write_surrogate

__all__ = [
    "SurrogateProblem",
    "TrainedSurrogate",
    "open_surrogate",
    "read_surrogate",
    "surrogate_from_frame",
    "write_surrogate",
]
