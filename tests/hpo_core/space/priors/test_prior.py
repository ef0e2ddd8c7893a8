"""Priors on spaces: draws, densities, modes, files, ConfigSpace, and what is refused."""

import ConfigSpace as cs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, truncnorm

from hpo_core import Categorical, Condition, Constant, Float, Forbidden, Int, Ordinal, Space
from hpo_core.errors import HpoError, InvalidPrior, InvalidSpace
from hpo_core.space.plain_data import space_from_json, space_to_json
from hpo_core.space.priors.densities import TruncatedNormal
from hpo_core.space.priors.prior import around, default_of

SPACE = Space(
    [
        Float("lr", 1e-5, 1.0, log=True),
        Int("units", 1, 100, log=True),
        Int("layers", 0, 5),
        Ordinal("batch", [8, 16, 32, 64]),
        Categorical("activation", ["relu", "tanh", "elu"]),
        Categorical("weighted", ["a", "b"], weights=[3, 1]),
        Constant("k", 7),
    ]
)
STATED = {
    "lr": (1e-3, "normal", 0.2),
    "units": (10, "normal", 0.15),
    "layers": ("beta", 2, 5),
    "batch": {64: 0.7, 8: 0.2},
    "activation": {"tanh": 0.8},
}
PRIOR = SPACE.with_prior(STATED)
NESTED = Space(
    [Categorical("model", ["svm", "net"]), Float("gamma", 0.1, 10.0, log=True), Int("layers", 1, 3)],
    [Condition("gamma", "model", ("svm",)), Condition("layers", "model", ("net",))],
)


def drawn(space, n=20_000):
    return space.encode(space.sample(np.random.default_rng(0), n))


def test_a_space_without_a_prior_is_as_it_was():
    assert SPACE.prior is None and PRIOR.with_prior(None) == SPACE != PRIOR
    assert PRIOR.with_prior(None).sample(np.random.default_rng(1), 5) == SPACE.sample(np.random.default_rng(1), 5)
    assert "prior" not in space_to_json(SPACE)


def test_draws_follow_the_stated_distributions():
    codes, unit = drawn(PRIOR), PRIOR.to_unit(drawn(PRIOR))
    centre = 0.4  # of 1e-3 in 1e-5..1, on the log scale
    law = truncnorm(-centre / 0.2, (1 - centre) / 0.2, centre, 0.2)
    assert unit[:, 0].mean() == pytest.approx(law.mean(), abs=0.005) and unit[:, 0].std() == pytest.approx(
        law.std(), abs=0.005
    )
    shares = np.bincount(codes[:, 2].astype(int), minlength=6) / len(codes)
    assert shares == pytest.approx(np.diff(beta(2, 5).cdf(np.arange(7) / 6)), abs=0.01)
    assert np.bincount(codes[:, 3].astype(int)) / len(codes) == pytest.approx([0.2, 0.05, 0.05, 0.7], abs=0.01)
    assert np.bincount(codes[:, 4].astype(int)) / len(codes) == pytest.approx([0.1, 0.8, 0.1], abs=0.01)
    assert (codes[:, 5] == 0).mean() == pytest.approx(0.75, abs=0.01)  # the space's own weights hold as before


def test_one_draw_is_the_first_of_many():
    one, many = (np.random.default_rng(3) for _ in range(2))
    assert [PRIOR.sample(one) for _ in range(4)] == PRIOR.sample(many, 4)


def test_the_density_integrates_to_one_and_is_that_of_scipy():
    plain = Space([h for h in SPACE if h.name != "weighted"])
    density = np.exp(plain.with_prior(STATED).prior.log_density(drawn(plain, 100_000)))
    assert density.mean() == pytest.approx(1.0, abs=0.02)
    line = Space([Float("x", -1.0, 1.0)])
    unit = np.linspace(0.01, 0.99, 11)
    for entry, law in (((0.2, "normal", 0.3), truncnorm(-2, 4 / 3, 0.6, 0.3)), (("beta", 2, 3), beta(2, 3))):
        found = line.with_prior({"x": entry}).prior.log_density(line.from_unit(unit[:, None]))
        with np.errstate(divide="ignore"):
            assert found == pytest.approx(law.logpdf(unit), abs=1e-9)


def test_masses_of_integers_on_a_log_scale_sum_to_one():
    space = Space([Int("n", 1, 100, log=True)]).with_prior({"n": (7, "normal", 0.05)})
    h, codes = space["n"], np.arange(100.0)
    widths = h.to_unit(codes + 0.5) - h.to_unit(codes - 0.5)
    density = np.exp(space.prior.log_density(codes[:, None]))
    assert (density * widths).sum() == pytest.approx(1.0) and h.value(int(np.argmax(density * widths))) == 7


def test_the_mode_is_exact_and_defaults_fill_in():
    assert PRIOR.prior.mode == {
        "lr": 1e-3, "units": 10, "layers": 1, "batch": 64, "activation": "tanh", "weighted": "a", "k": 7,
    }  # fmt: skip
    assert default_of(SPACE) == SPACE.complete({}) and default_of(PRIOR) == PRIOR.prior.mode


def test_conditions_leave_out_what_is_switched_off():
    space = NESTED.with_prior({"model": {"net": 0.9}, "gamma": (1.0, "normal", 0.1), "layers": (2, "normal", 0.1)})
    assert space.prior.mode == {"model": "net", "layers": 2}
    configs = space.sample(np.random.default_rng(0), 500)
    assert sum(config["model"] == "net" for config in configs) / 500 == pytest.approx(0.9, abs=0.05)
    on, off = space.encode([{"model": "svm", "gamma": 1.0}, {"model": "net", "layers": 2}])
    log = space.prior.log_density(np.array([on, off]))
    assert log[0] == pytest.approx(np.log(0.1 * 2) + TruncatedNormal(0.5, 0.1).log_density(np.array(0.5)))
    assert log[1] > log[0]


def test_what_is_forbidden_is_drawn_again_and_is_not_the_mode():
    space = Space(
        [Categorical("a", ["x", "y"]), Categorical("b", ["x", "y"])], forbidden=[Forbidden({"a": ["x"], "b": ["x"]})]
    )
    stated = space.with_prior({"a": {"x": 0.9}, "b": {"x": 0.8}})
    assert stated.prior.mode == {"a": "x", "b": "y"}
    assert {"a": "x", "b": "x"} not in stated.sample(np.random.default_rng(0), 200)


def test_a_list_is_drawn_by_the_density_of_its_configurations():
    line = Space([Ordinal("o", [1, 2, 3]), Categorical("c", ["x", "y"])])
    listed = Space(line, listed=[{"o": 1, "c": "x"}, {"o": 3, "c": "y"}, {"o": 2, "c": "x"}])
    stated = listed.with_prior({"c": {"y": 0.8}})
    shares = np.bincount([listed.numbering.index(c) for c in stated.sample(np.random.default_rng(0), 20_000)]) / 20_000
    assert shares == pytest.approx(np.array([0.2, 0.8, 0.2]) / 1.2, abs=0.01)
    assert stated.prior.mode == {"o": 3, "c": "y"}


def test_files_keep_a_prior():
    assert space_from_json(space_to_json(PRIOR)) == PRIOR
    with pytest.raises(InvalidSpace):
        space_from_json({**space_to_json(SPACE), "prior": {"lr": {"cauchy": [1, 2]}}})
    with pytest.raises(InvalidPrior):
        space_from_json({**space_to_json(SPACE), "prior": {"lr": {"normal": [5.0, 0.1]}}})


def test_configspace_keeps_a_prior_both_ways():
    back = Space(PRIOR.to_configspace())
    assert back == PRIOR and back.prior.mode == PRIOR.prior.mode


def test_distributions_of_configspace_become_a_prior_with_the_same_draws():
    space = cs.ConfigurationSpace(seed=0)
    space.add(
        cs.NormalFloatHyperparameter("x", mu=1, sigma=0.6, lower=-3, upper=3),
        cs.BetaFloatHyperparameter("y", alpha=2, beta=4, lower=0, upper=1),
        cs.NormalFloatHyperparameter("z", mu=1e-3, sigma=0.5, lower=1e-6, upper=1, log=True),
        cs.CategoricalHyperparameter("c", ["a", "b"], weights=[3, 1]),
    )
    ours = Space(space)
    assert ours.prior.mode == {"x": 1.0, "y": 0.25, "z": 1e-3, "c": "a"}
    theirs = ours.to_unit(ours.encode([dict(config) for config in space.sample_configuration(4000)]))
    unit = ours.to_unit(drawn(ours, 4000))
    assert unit.mean(axis=0) == pytest.approx(theirs.mean(axis=0), abs=0.02)
    assert unit.std(axis=0) == pytest.approx(theirs.std(axis=0), abs=0.02)


def test_defaults_make_a_prior():
    space = SPACE.with_prior(around(SPACE, SPACE.complete({})))
    assert space.prior.mode == SPACE.complete({})


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ({"lr": (5.0, "normal", 0.2)}, "centre.*'lr'.*got 5.0; move it inside"),
        ({"layers": (9, "normal", 0.2)}, "centre.*'layers'"),
        ({"batch": (9, "normal", 0.2)}, "centre.*'batch'.*one of 8"),
        ({"lr": (1e-3, "normal", 0)}, "std.*above 0.*got 0"),
        ({"lr": (1e-3, "normal", -0.1)}, "std.*above 0"),
        ({"lr": (1e-3, "normal", float("nan"))}, "std.*finite"),
        ({"layers": ("beta", 0.5, 2)}, ">= 1.*got 0.5"),
        ({"actvation": {"relu": 0.8}}, "no hyperparameter 'actvation'.*did you mean activation"),
        ({"activation": {"relu": 0}}, "above 0"),
        ({"activation": {"relu": -0.5}}, "above 0"),
        ({"activation": {"relu": 0.8, "tanh": 0.4}}, "at most 1, got 1.2"),
        ({"activation": {"relu": 0.1, "tanh": 0.1, "elu": 0.1}}, "exactly 1.*got 0.3"),
        ({"activation": {"gelu": 0.5}}, "one of 'relu'.*got 'gelu'"),
        ({"activation": {}}, "at least one value"),
        ({"activation": ("relu", "normal", 0.1)}, "no range.*weights"),
        ({"lr": {0.1: 0.5}}, "listed values.*normal"),
        ({"lr": 0.1}, "must be \\(centre"),
        ({"lr": (0.1, "cauchy", 0.1)}, "must be \\(centre"),
        ({}, "must say something"),
        ("good", "a mapping"),
    ],
)
def test_what_is_no_prior_is_refused_with_a_way_out(prior, words):
    with pytest.raises(InvalidPrior, match=words):
        SPACE.with_prior(prior)


def test_mass_on_what_is_forbidden_or_switched_off_is_refused():
    clash = Space(
        [Categorical("a", ["x", "y"]), Categorical("b", ["x", "y"])], forbidden=[Forbidden({"a": ["x"], "b": ["x"]})]
    )
    with pytest.raises(InvalidPrior, match=r"all forbidden.*spread"):
        clash.with_prior({"a": {"x": 1.0}, "b": {"x": 1.0}})
    with pytest.raises(InvalidPrior, match=r"'gamma'.*model"):
        NESTED.with_prior({"model": {"net": 1.0}, "gamma": (1.0, "normal", 0.1)})
    listed = Space(clash.hyperparameters, listed=[{"a": "x", "b": "y"}])
    with pytest.raises(InvalidPrior, match="listed"):
        listed.with_prior({"b": {"x": 1.0}})


def test_defaults_that_are_forbidden_are_no_first_proposal():
    clash = Space(
        [Categorical("a", ["x", "y"]), Categorical("b", ["x", "y"])], forbidden=[Forbidden({"a": ["x"], "b": ["x"]})]
    )
    with pytest.raises(InvalidPrior, match="state a prior"):
        default_of(clash)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["normal", "beta", "relu", "x"]),
    lambda inner: st.tuples(inner, inner, inner) | st.dictionaries(st.sampled_from(["relu", "tanh", 8]), inner),
    max_leaves=4,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from([*SPACE.names, "nothing"]), ANYTHING, max_size=3))
def test_anything_else_is_refused_or_drawn_from(prior):
    try:
        space = SPACE.with_prior(prior)
    except HpoError:
        return
    for config in (space.prior.mode, *space.sample(np.random.default_rng(0), 5)):
        SPACE.check(config)
    assert space_from_json(space_to_json(space)) == space
