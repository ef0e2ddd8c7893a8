"""The files of `write_statistics`, and that the pictures show the numbers they are of."""

import sys

import numpy as np
import pandas as pd
import pytest

from hpo_core import Categorical, Ordinal, Space
from hpo_core.errors import InvalidOption, MissingExtra
from tabular import Table
from tabular.fanova import importance
from tabular.pictures import (
    draw_budget_correlation,
    draw_ecdfs,
    draw_importance,
    draw_neighbourhood,
    draw_table_correlation,
    write_statistics,
)
from tabular.statistics import all_statistics, budget_correlation, neighbourhood, table_correlation

SPACE = Space([Ordinal("lr", [0.1, 0.2, 0.3, 0.4, 0.5]), Categorical("kind", ["a", "b"]), Ordinal("size", [1, 2, 3])])
BUDGETS = (1, 10, 100)


def made_table(name="made", seed=0, curves=True, **columns):
    rng = np.random.default_rng(seed)
    loss = np.exp(4 * rng.standard_normal((30, 1, 1)) + rng.standard_normal((30, 3, 3)))
    columns = {"loss": loss if curves else loss[:, :, 0], "cost": rng.random((30, 3)), **columns}
    budgets = BUDGETS if curves else BUDGETS[-1:]
    return Table(name, SPACE, columns, {c: f"unit of {c}" for c in columns}, budgets, "epochs", {})


def shown_panels(figure):
    return [axes for axes in figure.axes if axes.axison]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    sys.modules.pop("matplotlib.pyplot", None)
    directory = tmp_path_factory.mktemp("statistics") / "not yet" / "there"
    files = write_statistics(made_table(), directory, [made_table("other", 1)])
    return directory, files


@pytest.mark.slow
def test_a_csv_file_of_every_statistic_and_its_picture(written):
    directory, files = written
    tables = {"metrics", "noise", "importance", "neighbourhood", "budget_correlation", "table_correlation"}
    pictures = {"ecdf", "importance", "neighbourhood", "budget_correlation", "table_correlation"}
    assert {f.name for f in files} == {f"{t}.csv" for t in tables} | {f"{p}.png" for p in pictures}
    assert sorted(files) == sorted(directory.iterdir())


@pytest.mark.slow
def test_pictures_are_images_with_something_on_them(written):
    from matplotlib.image import imread

    for path in written[0].glob("*.png"):
        pixels = imread(path)
        assert min(pixels.shape[:2]) > 300
        assert 0.005 < (pixels[..., :3].min(axis=2) < 0.9).mean() < 0.9


def test_drawing_leaves_pyplot_alone(written):
    assert "matplotlib.pyplot" not in sys.modules


def test_csv_files_hold_the_numbers(written):
    frames = all_statistics(made_table(), [made_table("other", 1)], np.linspace(0, 1, 1001))
    for name, frame in frames.items():
        keys = [] if name == "neighbourhood" else list(frame.index.names)
        read = pd.read_csv(written[0] / f"{name}.csv", index_col=list(range(len(keys))) or None)
        assert list(map(str, read.columns)) == list(map(str, frame.columns))
        assert list(read.index.names) == (keys or [None])
        for a, b in zip(read.columns, frame.columns, strict=True):
            if read[a].dtype.kind in "fi":
                np.testing.assert_allclose(read[a].to_numpy(float), frame[b].to_numpy(float), rtol=1e-12)


def test_a_table_of_one_budget_without_others_has_fewer_files(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "matplotlib.figure.Figure.savefig", lambda figure, path, **options: path.touch()
    )  # the slow part
    names = {path.name for path in write_statistics(made_table(curves=False), tmp_path)}
    assert not any("correlation" in name for name in names)
    assert {"ecdf.png", "importance.png", "neighbourhood.png"} < names


def test_without_matplotlib_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"hpo-foundry\[report\]"):
        write_statistics(made_table(), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_place_of_the_directory_is_named(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(InvalidOption, match=r"directory that can be written, got .*out"):
        write_statistics(made_table(), tmp_path / "out")


def test_ecdf_panels_show_whole_distributions_on_fitting_scales():
    flat = np.full((30, 3), 0.5)
    table = made_table(test_loss=flat, train_loss=flat, valid_loss=flat, train_mse=flat, n_params=np.arange(30))
    panels = {axes.get_title(loc="left"): axes for axes in shown_panels(draw_ecdfs(table))}
    assert [title.split(":")[0].split(",")[0] for title in panels] == ["loss", "cost", "n_params", "noise"]
    losses, noise = panels["loss, mean over repetitions"], panels["noise: standard deviation between repetitions"]
    assert [line.get_label() for line in losses.lines][:2] == ["loss", "test_loss"]
    assert len(losses.lines) == 5
    assert [line.get_label() for line in noise.lines] == ["1", "10", "100"]
    assert losses.get_xscale() == noise.get_xscale() == "log"
    assert panels["n_params"].get_xscale() == "linear"
    for axes in panels.values():
        for line in axes.lines:
            assert line.get_ydata()[0] == 0
            assert line.get_ydata()[-1] == pytest.approx(1)
    loss = losses.lines[0]
    assert sorted(set(loss.get_xdata())) == sorted(table.mean("loss"))


def test_more_curves_than_colours_are_all_drawn():
    table = made_table(**{f"{i}_loss": np.full((30, 3), i + 1.0) for i in range(8)})
    assert len(draw_ecdfs(table).axes[0].lines) == 9


def test_noise_of_zero_stays_in_the_fraction():
    loss = np.random.default_rng(0).lognormal(sigma=4, size=(30, 3))
    loss[:15] = loss[:15, :1]
    axes = draw_ecdfs(made_table(curves=False, loss=loss)).axes[2]
    assert axes.get_title(loc="left").startswith("noise")
    values, fractions = axes.lines[0].get_data()
    assert fractions[values == 0].max() == 0.5
    assert axes.get_xlim()[0] == pytest.approx(values[values > 0].min() / 1.3)


def test_importance_shows_single_shares_and_the_ten_strongest_pairs():
    space = Space([Ordinal(name, [0, 1]) for name in "abcdef"])
    loss = np.random.default_rng(0).random((64, 1))
    table = Table("six", space, {"loss": loss, "cost": loss}, {"loss": "-", "cost": "s"}, (1,), "epochs", {})
    frame = importance(table)
    panels = draw_importance(table, frame).axes
    assert [axes.get_title(loc="left").split("\n")[0] for axes in panels] == ["top 1 %", "top 10 %", "all"] * 2
    assert [bar.get_width() for bar in panels[2].patches] == frame["all"].head(6).tolist()
    pairs = frame[frame["order"] == 2]["all"].sort_values(ascending=False).head(10)
    assert [bar.get_width() for bar in panels[5].patches] == pairs.tolist()
    assert panels[5].patches[0].get_y() > panels[5].patches[1].get_y()  # the strongest on top
    assert panels[5].get_yticklabels()[0].get_text() == pairs.index[0].replace(" x ", " × ")  # noqa: RUF001


def test_neighbourhood_shows_each_flip_at_its_change():
    table = made_table()
    frame = neighbourhood(table)
    axes = draw_neighbourhood(table, frame).axes[0]
    assert axes.lines[0].get_xdata().tolist() == frame["relative_change"].tolist()
    first = frame.iloc[0]
    assert axes.get_yticklabels()[0].get_text() == f"{first['hyperparameter']}: {first['old']} → {first['new']}"
    assert axes.get_xlabel() == "relative change of loss"
    low, high = axes.get_xlim()
    assert low < frame["relative_change"].min()
    assert high > frame["relative_change"].max()


def test_flips_from_a_loss_of_zero_are_shown_at_their_loss():
    table = made_table(curves=False, loss=np.arange(30.0)[:, None] * np.ones(3))
    frame = neighbourhood(table)
    axes = draw_neighbourhood(table, frame).axes[0]
    assert axes.lines[0].get_xdata().tolist() == frame["loss"].tolist() == [1, 3, 6]
    assert axes.get_xlabel() == "change of loss"


def test_a_flip_to_an_infinite_loss_is_drawn_at_the_edge(tmp_path):
    loss = np.arange(1.0, 31.0)[:, None] * np.ones(3)
    loss[1] = np.inf
    table = made_table(curves=False, loss=loss)
    figure = draw_neighbourhood(table, neighbourhood(table))
    axes = figure.axes[0]
    assert axes.lines[0].get_xdata()[-1] == axes.get_xlim()[1]
    assert axes.texts[-1].get_text() == "inf"
    figure.savefig(tmp_path / "neighbourhood.png")


def test_correlations_are_drawn_as_they_are():
    table, other = made_table(), made_table("other", 1)
    between = budget_correlation(table)
    axes = draw_budget_correlation(table, between).axes[0]
    for line, label in zip(axes.lines, between.columns, strict=False):
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack([BUDGETS, between[label]]))
    across = table_correlation([table, other])
    panels = draw_table_correlation(across).axes[:3]
    assert [axes.get_title().split(" of ")[0] for axes in panels] == ["top 1 %", "top 10 %", "all configurations"]
    np.testing.assert_array_equal(panels[2].images[0].get_array(), across.loc["all"].to_numpy())
    assert panels[2].texts[1].get_text() == f"{across.loc['all'].iloc[0, 1]:.2f}"
    slightly_negative = draw_table_correlation(across * 0 - 0.001).axes[2]
    assert {text.get_text() for text in slightly_negative.texts} == {"0.00"}
