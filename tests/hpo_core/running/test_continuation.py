"""Paused trainings: which one is continued, and that looking it up does not take longer the more there are."""

from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from hpo_core.running.continuation import PaidTraining, Trainings

CONFIGS = [{"a": 1}, {"a": 2}]
steps = st.lists(st.tuples(st.sampled_from([0, 1]), st.sampled_from([1.0, 3.0, 9.0, 27.0]), st.booleans()), max_size=60)


@given(steps)
def test_the_closest_from_below_and_of_several_the_latest_is_continued(steps):
    trainings, listed = Trainings(), ([], [])
    for i, (config, budget, is_kept) in enumerate(steps):
        if is_kept:
            trainings.keep(CONFIGS[config], PaidTraining(budget, 2.0, i))
            listed[config].append(PaidTraining(budget, 2.0, i))
            continue
        below = [each for each in listed[config] if each.budget < budget]
        expected = max(below, key=lambda each: (each.budget, each.seed), default=None)
        if expected is not None:
            listed[config].remove(expected)
        assert trainings.claim(CONFIGS[config], budget) == expected


def seconds(n):
    """CPU seconds of evaluating one configuration `n` times at the full budget, as an optimizer that converged does."""
    trainings, start = Trainings(), process_time()
    for seed in range(n):
        trainings.claim({"a": 1}, 81.0)
        trainings.keep({"a": 1}, PaidTraining(81.0, 1.0, seed))
    return process_time() - start


def test_a_configuration_that_is_evaluated_again_and_again_takes_linear_time():
    few, many = (min(seconds(n) for _ in range(3)) for n in (2_000, 16_000))
    assert many < 30 * few  # 8 times as many; quadratic growth would be 64 times
