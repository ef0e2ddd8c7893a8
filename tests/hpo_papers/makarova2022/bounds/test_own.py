"""Own bounds along recorded runs: those of the criteria, and near the recorded ones."""

import numpy as np
import pytest

from baselines import criterion
from hpo_core import Proposal, Result, Trial
from hpo_papers.makarova2022.bounds.cv import FollowingRule, following_stops
from hpo_papers.makarova2022.bounds.own import COLUMNS, bounds_along, gridded
from hpo_papers.makarova2022.bounds.spaces import features_of, reader_of
from hpo_papers.makarova2022.record.contents import record


def recorded_trials(name, dataset, run, n):
    runs, space = record().runs["cv", name], reader_of("cv", name).space
    values = {h.name: runs[f"hp.{h.name}"][dataset, run] for h in space}
    whole = {h.name for h in space if type(h).__name__ == "Int"}
    configs = [{k: int(v[i]) if k in whole else float(v[i]) for k, v in values.items()} for i in range(n)]
    losses = runs["loss"][dataset, run]
    return [Trial(Proposal(config), Result(float(losses[i]), 1.0, 1, {}), i) for i, config in enumerate(configs)]


@pytest.mark.parametrize(
    ("options", "text"), [((), ""), ((0.2,), ",share=0.2"), ((0.5, None, True), ",calibrated=true")]
)
def test_bounds_are_those_of_the_criterion(options, text):
    trials = recorded_trials("RF", 3, 1, 60)
    rule = criterion(f"regret-bound:1,variant=reference-code{text}", reader_of("cv", "RF").space)
    rows = bounds_along("cv", "RF", 3, 1, [25, 60], *options)
    assert [row[0] for row in rows] == pytest.approx([rule.bound(trials[:25]), rule.bound(trials)], rel=1e-9)


@pytest.mark.slow
def test_bounds_are_near_the_recorded_ones():
    checks = list(range(20, 200, 20))
    for study, name in (("cv", "RF"), ("cv", "XGB"), ("fcnet", "bore")):
        own = np.array(bounds_along(study, name, 0, 0, checks))[:, 0]
        ratios = own / record().runs[study, name]["bound"][0, 0, checks]
        assert 0.9 < np.median(ratios) < 1.1, (study, name)


def test_features_of_a_table_are_those_of_the_configurations():
    reader = reader_of("fcnet", "rs")
    # the first recorded: relu, relu, 1, 1, 0, 4, cosine, 3, 4; ordinals by the index of their value
    index = {"batch_size": 1, "dropout_1": 1, "dropout_2": 0, "init_lr": 4, "n_units_1": 3, "n_units_2": 4}
    config = {h.name: h.values[index[h.name]] for h in reader.space if h.name in index}
    config |= {"activation_fn_1": "relu", "activation_fn_2": "relu", "lr_schedule": "cosine"}
    assert features_of("fcnet", "rs", 0, 0)[0].tolist() == reader.encode([config])[0].tolist()


def test_parts_are_put_where_they_belong():
    parts = [[[10 * run + check, 1.0, 1.0, 1.0] for check in (0, 1)] for run in range(6)]
    arrays = gridded(parts, (2, 3), [4, 7], 10)
    assert set(arrays) == set(COLUMNS)
    assert arrays["bound"][1, 2, [4, 7]].tolist() == [50.0, 51.0]
    assert np.isnan(arrays["bound"][1, 2, 5])


def test_a_following_rule_waits_and_does_not_trust_everything():
    runs = record().runs["cv", "RF"].subset(2)
    bounds = np.full(runs["loss"].shape, 0.0)
    assert (following_stops(runs, bounds, FollowingRule(3.5, 28, 1)) == 28).all()
    assert (following_stops(runs, bounds, FollowingRule(3.5, 28, 3)) == 30).all()
    correlations = np.where(np.arange(200) < 50, 0.05, 0.5)[None, None]
    assert (following_stops(runs, bounds, FollowingRule(3.5, 28, 1), correlations) == 50).all()
