"""When hyperparameters are searched for again, by hand and for any growth."""

from hypothesis import given
from hypothesis import strategies as st

from baselines.parts.search_schedule import last_search, next_search


def test_by_hand():
    assert [next_search(n) for n in (0, 1, 20, 21, 100, 101)] == [1, 2, 21, 23, 105, 107]
    assert [last_search(n) for n in (1, 19, 20, 21, 22, 23, 24)] == [1, 19, 20, 21, 21, 23, 23]
    assert next_search(100, 0.5) == 150 and next_search(100, 0.0) == 101


@given(n=st.integers(1, 2000), growth=st.floats(0.001, 1.0))
def test_the_last_search_lies_within_one_growth(n, growth):
    last = last_search(n, growth)
    assert last <= n < next_search(last, growth)
    assert last_search(last, growth) == last  # the schedule does not depend on who asks when
    assert last_search(n, 0.0) == n
