"""Hypothesis strategies shared by the tests."""

from hypothesis import strategies as st

from hpo_core import Categorical, Constant, Float, Int, Ordinal, Space

NAMES = ["a", "b", "c", "d"]
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 6))


@st.composite
def hyperparameters(draw, name):
    kind = draw(st.sampled_from(["float", "int", "ordinal", "categorical", "constant"]))
    log = draw(st.booleans())
    if kind == "float":
        low = draw(st.floats(1e-8, 1e3) if log else NUMBERS)
        return Float(name, low, low + draw(st.floats(1e-3, 1e6)), log=log)
    if kind == "int":
        low = draw(st.integers(1, 1000) if log else st.integers(-1000, 1000))
        return Int(name, low, low + draw(st.integers(1, 5000)), log=log)
    if kind == "constant":
        return Constant(name, draw(st.one_of(NUMBERS, st.text(max_size=5))))
    texts = st.text("abcxyz", min_size=1, max_size=6)
    values = draw(st.lists(NUMBERS if draw(st.booleans()) else texts, min_size=2, max_size=7, unique=True))
    if kind == "ordinal":
        return Ordinal(name, sorted(values))
    weights = [draw(st.integers(1, 9)) for _ in values] if draw(st.booleans()) else None
    return Categorical(name, values, weights=weights)


@st.composite
def spaces(draw):
    return Space([draw(hyperparameters(name)) for name in NAMES[: draw(st.integers(1, 4))]])
