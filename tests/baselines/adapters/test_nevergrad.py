"""nevergrad's NGOpt: the parameters that it gets, that it runs as by hand, and what it plans for."""

import numpy as np
import pytest
from adapted import SPACE, configs, loss_of, made, need

from baselines.adapters.parts.library import quiet
from hpo_core import Float, Space
from hpo_core.errors import InvalidOption


def test_nevergrad_gets_parameters_and_runs_as_by_hand():
    need("nevergrad-ngopt")
    import nevergrad as ng

    from baselines.adapters.parts.global_random import OwnRandomState

    codes = {"ordinal": [8, 16, 32, 64], "categorical": ["relu", "tanh", None], "weighted": [True, False]}
    searched = ng.p.Dict(
        float=ng.p.Scalar(lower=-1.0, upper=3.0),
        log_float=ng.p.Log(lower=1e-4, upper=1.0),
        int=ng.p.Scalar(lower=-2, upper=2).set_integer_casting(),
        log_int=ng.p.Log(lower=1, upper=64).set_integer_casting(),
        ordinal=ng.p.TransitionChoice(range(4)),
        categorical=ng.p.Choice(range(3)),
        weighted=ng.p.Choice(range(2)),
    )
    by_hand = []
    with quiet("nevergrad"), OwnRandomState(6):
        searched.random_state = np.random.RandomState(6)
        by_itself = ng.optimizers.NGOpt(searched, budget=40)
        for _ in range(40):
            candidate = by_itself.ask()
            found = {name: codes[name][value] if name in codes else value for name, value in candidate.value.items()}
            by_hand.append({name: {"constant": "c", "single": 7, **found}[name] for name in SPACE.names})
            by_itself.tell(candidate, loss_of(by_hand[-1]))
    assert configs(made("nevergrad-ngopt", SPACE, seed=6, budget=40), 40) == by_hand


def test_nevergrad_plans_for_the_evaluations_that_are_given():
    need("nevergrad-ngopt")
    square = Space([Float("a", 0.0, 1.0), Float("b", 0.0, 1.0)])
    short, long = (made("nevergrad-ngopt", square, budget=budget).optimizer.optim.name for budget in (15, 5000))
    assert short != long
    with pytest.raises(InvalidOption, match="no option 'n_trials'; nevergrad's NGOpt takes budget, num_workers"):
        made("nevergrad-ngopt", square, n_trials=15)
