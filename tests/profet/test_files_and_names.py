"""A model as a file, models and tasks by name, and the command line."""

import numpy as np
import pytest

import profet.family
import profet.sources
from hpo_cli.main import main
from hpo_core import Benchmark, benchmarks
from hpo_core.errors import DamagedFile, InvalidOption, UnknownName
from hpo_core.storage.sealed_hdf5 import SEAL_SIZE, Kind, read_sealed, write_sealed
from profet import read_model, sample_task, write_model
from profet.model_file import KIND, rounded


@pytest.fixture
def path(model, tmp_path):
    write_model(model, tmp_path / "bowl.h5")
    return tmp_path / "bowl.h5"


@pytest.fixture
def named(model, cache):
    """The model under the name `bowl` in an empty cache."""
    write_model(model, profet.family.trained_model("bowl"))
    return model


@pytest.mark.slow
def test_model_comes_back_from_its_file(model, path, data):
    again = read_model(path)
    assert (again.name, again.space, again.tasks, list(again.budgets)) == ("bowl", model.space, model.tasks, [1])
    assert np.array_equal(again.encoding.means, model.encoding.means)
    assert again.loss.theta.dtype == np.float32
    assert again.loss.target == model.loss.target
    assert again.cost.target == model.cost.target
    assert again.provenance["source"] == "closed form"
    before, after = (sample_task(m, 4).evaluate_batch(data.codes, 1, None) for m in (model, again))
    np.testing.assert_allclose(after, before, rtol=1e-3)


def test_files_are_equal_byte_for_byte_and_saved_models_stay_as_they_are(path, tmp_path):
    write_model(read_model(path), tmp_path / "again.h5")
    assert (tmp_path / "again.h5").read_bytes() == path.read_bytes()


def test_rounding_keeps_sixteen_bits():
    theta = np.random.default_rng(0).standard_normal((5, 100)).astype(np.float32)
    kept = rounded(theta)
    assert np.abs(kept / theta - 1.0).max() <= 2.0**-17
    assert not (kept.view(np.uint32) & 0x7F).any()
    assert np.array_equal(rounded(kept), kept)


def test_damaged_and_foreign_files_are_refused(path, tmp_path):
    whole = path.read_bytes()
    for index in (SEAL_SIZE + 100, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:index] + bytes([whole[index] ^ 1]) + whole[index + 1 :])
        with pytest.raises(DamagedFile, match="checksum"):
            read_model(path)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DamagedFile):
        read_model(path)
    path.write_bytes(b"")
    with pytest.raises(DamagedFile, match="hpo profet train"):
        read_model(path)
    with pytest.raises(FileNotFoundError):
        read_model(tmp_path / "nothing.h5")


def test_other_versions_and_wrong_contents_are_refused(path):
    header, columns = read_sealed(path, KIND)
    write_sealed(path, Kind(KIND.format, KIND.version + 1, KIND.noun), header, columns)
    with pytest.raises(DamagedFile, match="upgrade"):
        read_model(path)
    write_sealed(path, KIND, header, {**columns, "loss": columns["loss"][:, :-1]})
    with pytest.raises(DamagedFile, match="the draws of a network"):
        read_model(path)
    write_sealed(path, KIND, {**header, "networks": {}}, columns)
    with pytest.raises(DamagedFile, match="networks for loss and cost"):
        read_model(path)


def test_tasks_have_names(named, data):
    benchmark = Benchmark("profet-bowl/17")
    assert benchmark.name == "profet-bowl/17"
    assert "profet-bowl/0" in benchmarks()
    expected = sample_task(read_model(profet.family.trained_model("bowl")), 17)
    config = data.space.sample(np.random.default_rng(0))
    assert benchmark.objective(config).loss == expected.evaluate(config, 1, None).loss
    assert len(benchmark.provenance["model"]) == 64
    noisy = Benchmark("profet-bowl/17", noise=True)
    assert noisy.name == "profet-bowl/17,noise"
    assert noisy.objective(config, seed=0) != noisy.objective(config, seed=1)
    assert Benchmark("profet-bowl/17", latent="between").objective(config) != benchmark.objective(config)


def test_wrong_names_and_options_are_refused(named):
    with pytest.raises(UnknownName, match="bowl"):
        Benchmark("profet-bowls/1")
    for name in ("profet-bowl/x", "profet-bowl/-1", "profet-bowl"):
        with pytest.raises(UnknownName):
            Benchmark(name)
    with pytest.raises(InvalidOption, match="noise"):
        Benchmark("profet-bowl/1", nois=True)
    with pytest.raises(InvalidOption, match="true or false"):
        Benchmark("profet-bowl/1", noise=0.1)


def test_first_use_of_a_family_without_a_model_trains_one(cache, monkeypatch, model, capsys):
    trained = []

    def quick(family, **options):
        trained.append(family)
        return model

    monkeypatch.setattr(profet.family, "train", quick)
    monkeypatch.setattr(profet.family, "shipped_model", lambda family: cache / "none" / f"profet-{family}.h5")
    first = profet.open_model("forrester")
    assert np.array_equal(profet.open_model("forrester").loss.theta, first.loss.theta)
    assert trained == ["forrester"]
    assert "forrester" in capsys.readouterr().err


@pytest.fixture
def measured(cache, data, tmp_path, monkeypatch):
    """A file of meta-data of the family `svm`, on which a model is trained in no time."""
    from hpo_core.space.plain_data import space_to_json
    from profet import settings
    from profet.meta_data import KIND as META_DATA

    small = settings.Settings(
        n_latent=2, kernel="rbf", units=(5,), n_chains=1, n_draws=2, n_cost_draws=1, n_between=1, n_burn_in=5,
        warm_start=None,
    )  # fmt: skip
    monkeypatch.setitem(settings.MODES, "fast", small)
    header = {"family": "svm", "space": space_to_json(data.space), "provenance": {}}
    header["tasks"] = [{"name": name, "classes": 2} for name in data.tasks]
    unit, losses = data.space.to_unit(data.codes), data.losses[:, :, 0]
    path = tmp_path / "measured.h5"
    write_sealed(path, META_DATA, header, {"unit": unit, "loss": losses, "cost": data.costs})
    return path


@pytest.mark.slow
def test_a_built_in_model_is_covered_on_demand_only_and_stays_within_reach(measured, data, capsys):
    name, before = "profet-svm/0", Benchmark("profet-svm/0").provenance["model"]
    assert main(["profet", "train", str(measured)]) == 2
    said = capsys.readouterr().err
    assert "'svm' is the name of a built-in meta-model" in said and "--replace" in said
    assert not profet.family.trained_model("svm").exists()
    assert main(["profet", "train", str(measured), "--replace"]) == 0
    assert "covers the built-in svm" in capsys.readouterr().out
    assert Benchmark(name).space == data.space  # the name that was printed opens what was trained
    assert "covers the built-in" in benchmarks()[name].summary
    assert Benchmark(name, built_in=True).provenance["model"] == before
    assert profet.open_model("svm", built_in=True).checksum == before
    assert main(["profet", "remove", "svm"]) == 0
    said = capsys.readouterr().out
    assert str(profet.family.trained_model("svm")) in said and "built-in model again" in said
    assert Benchmark(name).provenance["model"] == before
    assert main(["profet", "remove", "svm"]) == 2
    assert "only a meta-model of your own can be removed" in capsys.readouterr().err


@pytest.mark.slow
def test_a_model_trained_again_is_the_one_that_opens(measured):
    checksums = []
    for seed in ("1", "2"):
        assert main(["profet", "train", str(measured), "--name", "mine", "--seed", seed]) == 0
        checksums.append(profet.open_model("mine").checksum)
    assert checksums[0] != checksums[1]


@pytest.mark.slow
def test_a_file_of_a_built_in_name_covers_nothing(measured, tmp_path):
    assert main(["profet", "train", str(measured), "--out", str(tmp_path / "out.h5")]) == 0
    assert profet.read_model(tmp_path / "out.h5").name == "svm"
    assert not profet.family.trained_model("svm").exists()


@pytest.mark.slow
def test_a_family_that_trains_itself_is_built_in_too(measured, model, monkeypatch):
    monkeypatch.setattr(profet.family, "train", lambda family, **options: model)
    built_in = profet.open_model("forrester").checksum
    assert main(["profet", "train", str(measured), "--name", "forrester"]) == 2
    assert main(["profet", "train", str(measured), "--name", "forrester", "--replace"]) == 0
    assert profet.open_model("forrester").checksum != built_in
    assert profet.open_model("forrester", built_in=True).checksum == built_in


def test_command_line(named, tmp_path, capsys):
    assert main(["profet", "sample", "bowl", "--n", "2", "--plot", str(tmp_path / "out.png")]) == 0
    said = capsys.readouterr().out
    assert "profet-bowl/1" in said
    assert (tmp_path / "out.png").stat().st_size > 5000
    assert main(["profet", "info", "bowl"]) == 0
    assert "rate, units" in capsys.readouterr().out
    assert main(["profet", "plot", "bowl", "latent", "--out", str(tmp_path / "latent.png")]) == 0
    assert (tmp_path / "latent.png").stat().st_size > 5000


def test_command_line_says_what_is_wrong(named, tmp_path, capsys):
    assert main(["profet", "sample", "bowll"]) == 2
    assert "bowl" in capsys.readouterr().err
    assert main(["profet", "train", "bowl", "--mode", "slow"]) == 2
    assert main(["profet", "plot", "bowl", "samples", "--out", str(tmp_path / "x.png")]) == 2
    assert main(["profet", "plot", "bowl", "latent", "--out", str(tmp_path / "x.nothing")]) == 2
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.slow
def test_command_line_trains_a_model_of_a_file(measured, data, tmp_path, capsys):
    assert main(["profet", "train", str(measured), "--name", "mine"]) == 0
    assert "profet-mine/0" in capsys.readouterr().out
    assert Benchmark("profet-mine/3").space == data.space
    for picture in ("samples", "distribution", "calibration"):
        out = tmp_path / f"{picture}.png"
        assert main(["profet", "plot", "mine", picture, "--data", str(measured), "--out", str(out)]) == 0
        assert out.stat().st_size > 5000
    assert main(["profet", "train", str(measured), "--name", "not a name"]) == 2
