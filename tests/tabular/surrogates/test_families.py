"""Names of surrogates."""

import pytest
from recorded_rows import CONFIG, recorded

from hpo_core import Benchmark, benchmarks
from hpo_core.errors import DamagedFile, InvalidOption, NameTaken, UnknownName
from hpo_core.facts import facts_of
from tabular.surrogates import open_surrogate, surrogate_from_frame, write_surrogate
from tabular.surrogates.families import own_surrogates, register, shipped_path, shipped_surrogates


@pytest.fixture
def made(quick, tmp_path, monkeypatch):
    monkeypatch.setenv("HPO_FOUNDRY_CACHE", str(tmp_path / "cache"))
    return surrogate_from_frame(recorded(), loss="error", config=CONFIG, name="mine")


def test_a_registered_surrogate_is_a_benchmark(made):
    assert register(made) == "mine"
    assert benchmarks()["mine"].family == "surrogates"
    assert facts_of("surrogates", "mine").optimum
    assert Benchmark("mine").problem.checksum == made.checksum
    assert register(made, "other") == "other" and Benchmark("other").name == "other"
    assert own_surrogates.names() == ["mine", "other"]
    own_surrogates.remove("mine")
    with pytest.raises(UnknownName, match="'mine'"):
        Benchmark("mine")
    with pytest.raises(UnknownName, match=r"only a surrogate of your own.*'mine'"):
        own_surrogates.remove("mine")


def test_a_file_is_a_benchmark_by_its_path(made, tmp_path):
    write_surrogate(made, tmp_path / "s.h5")
    assert Benchmark(str(tmp_path / "s.h5")).problem.checksum == made.checksum
    assert open_surrogate(str(tmp_path / "s.h5")).name == "mine"
    (tmp_path / "other.h5").write_bytes(b"no surrogate")
    with pytest.raises(UnknownName):
        Benchmark(str(tmp_path / "other.h5"))


def test_names_that_are_not_free(made):
    for name in ("branin", "protein", "lcbench", "taskset"):
        with pytest.raises(NameTaken, match="give another name"):
            register(made, name)
    for name in ("a/b", "", "a b", "../x"):
        with pytest.raises(InvalidOption, match="letters, digits, - and _"):
            register(made, name)
    register(made)
    with pytest.raises(InvalidOption, match="no options, 'mine' was given metric"):
        Benchmark("mine", metric="loss")


def test_a_damaged_file_says_how_to_get_rid_of_it(made):
    register(made)
    own_surrogates.path("mine").write_bytes(own_surrogates.path("mine").read_bytes()[:3000])
    with pytest.raises(DamagedFile, match="`hpo surrogate remove mine`"):
        Benchmark("mine")


def test_unknown_names_have_suggestions(made):
    register(made)
    with pytest.raises(UnknownName, match=r"no surrogate 'mime', neither a name nor a file; did you mean mine\?"):
        open_surrogate("mime")


# --- surrogates of TaskSet -------------------------------------------------------------------------------------------


def test_taskset_is_listed_with_its_facts():
    listed = {name: entry for name, entry in benchmarks().items() if entry.family == "taskset-surrogate"}
    assert list(listed) == shipped_surrogates()
    assert "taskset-surrogate/0" not in listed  # its rank correlation is below .8
    assert facts_of("taskset-surrogate", shipped_surrogates()[0]).budgets == (1, 51)
    with pytest.raises(UnknownName, match=r"no instance '12'.*hpo list --family taskset-surrogate"):
        Benchmark("taskset-surrogate/12")


@pytest.mark.parametrize("name", shipped_surrogates())
def test_every_shipped_surrogate_is_good_enough_and_says_where_it_comes_from(name):
    surrogate = open_surrogate(name)
    assert surrogate.name == name and surrogate.budgets == range(1, 52)
    assert surrogate.quality.spearman >= 0.8 and surrogate.quality.n_rows == 51_000
    for words in ("DyHPO", "cfba15a"):
        assert words in surrogate.provenance["source"]
    assert surrogate.provenance["licence"] == "Apache License 2.0"
    assert "count as" in surrogate.provenance["diverged"]


def test_shipped_files_are_small():
    assert sum(shipped_path(name.partition("/")[2]).stat().st_size for name in shipped_surrogates()) < 4e6
