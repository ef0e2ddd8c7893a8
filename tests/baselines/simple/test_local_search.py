"""`local-search`: steps to the best neighbour, optima and starts."""

import math

from baselines import optimizer
from hpo_core import Categorical, Float, Int, Space

GRID = Space([Int("i", 0, 9), Int("j", 0, 9)])


def searched(loss, n, space=GRID, seed=0):
    o = optimizer("local-search", space, seed=seed)
    asked = []
    while len(asked) < n and (proposal := o.ask()) is not None:
        asked.append(proposal.config)
        o.tell(proposal, loss(proposal.config), 1.0)
    return o, asked


def test_it_goes_to_the_best_neighbour_until_none_is_better():
    o, asked = searched(lambda c: (c["i"] - 3) ** 2 + 2 * (c["j"] - 7) ** 2, 80)
    assert o.optima[0] == ({"i": 3, "j": 7}, 0)
    assert len({tuple(config.values()) for config in asked}) == len(asked)
    around = GRID.neighbours(asked[0])
    assert all(config in around for config in asked[1 : 1 + len(around)])


def test_every_optimum_is_one_and_the_search_begins_again():
    def loss(config):
        return (7 * config["i"] + 5 * config["j"]) % 23

    o, _ = searched(loss, 100)
    assert len(o.optima) > 3 and o.n_random >= len(o.optima)
    for config, value in o.optima:
        assert all(loss(other) >= value for other in GRID.neighbours(config)) and loss(config) == value


def test_workers_wait_for_the_last_neighbour_and_for_the_start():
    o = optimizer("local-search", GRID, seed=0)
    start = o.ask()
    assert o.ask() is None
    o.tell(start, 1.0, 1.0)
    around = []
    while (proposal := o.ask()) is not None:
        around.append(proposal)
    assert len(around) == len(GRID.neighbours(start.config))
    for proposal in around[:-1]:
        o.tell(proposal, 2.0, 1.0)
    assert o.ask() is None
    o.tell(around[-1], 0.5, 1.0)
    after = o.ask().config
    assert after in GRID.neighbours(around[-1].config)


def test_no_step_leads_to_a_failure():
    o, _ = searched(lambda c: math.inf if c["i"] == 5 else c["i"] + c["j"], 60)
    assert all(config["i"] in (0, 6) and config["j"] == 0 for config, _ in o.optima)


def test_a_space_without_neighbours_and_one_with_floats():
    _, asked = searched(lambda c: 1.0, 5, Space([Categorical("c", ["only"])]))
    assert asked == [{"c": "only"}] * 5
    _, asked = searched(lambda c: abs(c["x"] - 0.3), 40, Space([Float("x", 0.0, 1.0)]))
    assert min(abs(config["x"] - 0.3) for config in asked) < 0.05
