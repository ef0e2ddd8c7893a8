"""The page in Chromium, at the width of a desk and of a phone: it draws, reacts, and asks nobody for anything."""

import json
import re
import shutil
from itertools import pairwise

import pytest

from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.report import write_report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]

WIDTHS = {"desk": 1280, "phone": 390}
OPTIMIZERS = ["de", "re", "rs"]
MINUTE = 60_000  # in milliseconds, the unit of Playwright


@pytest.fixture(scope="module")
def page_path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    suite = make_suite("browser", ["branin", "counting-ones-4-4"], OPTIMIZERS, n_seeds=3, n_trials=10)
    run_experiment(suite, folder / "s.sqlite", SerialEngine())
    return write_report(folder / "s.sqlite", folder / "out")


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as starter:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = starter.chromium.launch(executable_path=CHROMIUM, args=options, timeout=2 * MINUTE)
        yield browser
        browser.close()


@pytest.fixture(scope="module", params=WIDTHS)
def opened(request, chromium, page_path):
    """The page with all figures drawn; afterwards nothing may have been complained about or asked for."""
    is_phone = request.param == "phone"
    context = chromium.new_context(
        viewport={"width": WIDTHS[request.param], "height": 800}, is_mobile=is_phone, has_touch=is_phone
    )
    page = context.new_page()
    page.set_default_timeout(MINUTE)
    said, asked = [], []
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda wanted: asked.append(wanted.url))
    page.goto(page_path.as_uri())
    for figure in page.locator("[data-figure]").all():
        figure.scroll_into_view_if_needed()
        figure.locator(".plot[data-drawn] svg.main-svg").first.wait_for(state="attached")
    yield page
    page.wait_for_timeout(100)
    context.close()
    assert said == []
    assert asked == [page_path.as_uri()]


def plot(page, figure, expression):
    """A value computed in the page from the plot of a figure."""
    return page.evaluate(f"plot => {expression}", page.locator(f"#{figure} .plot").element_handle())


def traces(page, figure):
    return plot(page, figure, "plot.data.filter(trace => trace.name !== undefined).map(trace => trace.name)")


def test_axes_benchmarks_and_bands_can_be_chosen(opened):
    figure = opened.locator("#group-1-regret")
    select = figure.locator("select")
    assert select.locator("option").all_inner_texts() == ["all benchmarks", "branin", "counting-ones-4-4"]
    assert plot(opened, "group-1-regret", "plot.layout.yaxis.title.text") == "relative regret"
    select.select_option("branin")
    figure.get_by_role("button", name="evaluations").click()
    assert plot(opened, "group-1-regret", "plot.layout.yaxis.title.text") == "regret"
    assert plot(opened, "group-1-regret", "plot.data[plot.data.length - 1].x") == list(range(1, 11))
    assert plot(opened, "group-1-regret", "[plot.layout.xaxis.type, plot.layout.yaxis.type]") == ["linear", "log"]
    figure.get_by_label("log x").check()
    figure.get_by_label("log y").uncheck()
    assert plot(opened, "group-1-regret", "[plot.layout.xaxis.type, plot.layout.yaxis.type]") == ["log", "linear"]
    figure.get_by_role("button", name="seconds").click()
    assert plot(opened, "group-1-regret", "plot.layout.xaxis.title.text") == "seconds"
    n_bands = plot(opened, "group-1-regret", "plot.data.filter(trace => trace.fill === 'toself').length")
    assert n_bands == len(OPTIMIZERS)
    figure.get_by_label("quartiles").uncheck()
    assert plot(opened, "group-1-regret", "plot.data.filter(trace => trace.fill === 'toself').length") == 0


def test_an_optimizer_is_hidden_everywhere_and_has_one_colour(opened):
    figures = ["group-1-regret", "group-1-targets", "group-1-ranks", "group-1-robustness", "group-1-overhead"]
    colour = "(trace => trace.mode === 'lines' ? trace.line.color : trace.marker.color)"
    found = f"plot.data.filter(trace => trace.name === 're').map{colour}"
    assert len({json.dumps(plot(opened, figure, found)) for figure in figures}) == 1
    opened.get_by_role("button", name="re", exact=True).click()
    for figure in figures:
        assert sorted(traces(opened, figure)) == ["de", "rs"]
    assert plot(opened, "group-1-p-values", "plot.data[0].x.length") == 2
    opened.get_by_role("button", name="show all").click()
    assert sorted(traces(opened, "group-1-overhead")) == OPTIMIZERS


def test_pointing_at_a_curve_and_at_a_cell_tells_their_values(opened):
    for figure, words in (("group-1-targets", r"0\.\d+ \["), ("group-1-p-values", r"better than.*effect \d\.\d\d \[")):
        opened.locator(f"#{figure} .plot").scroll_into_view_if_needed()
        area = opened.locator(f"#{figure} .plot .nsewdrag").first
        box = area.bounding_box()
        label = opened.locator(f"#{figure} .hoverlayer")
        for share in (0.5, 0.45, 0.55, 0.2, 0.8):
            for height in (0.3, 0.15, 0.5, 0.7, 0.85):
                opened.mouse.move(box["x"] + share * box["width"], box["y"] + height * box["height"])
                opened.wait_for_timeout(60)
                if re.search(words, label.text_content()):
                    break
            else:
                continue
            break
        else:
            pytest.fail(f"no label on {figure}")


def widths_of(page, figure):
    return plot(page, figure, "Object.fromEntries(plot.data.filter(t => t.name).map(t => [t.name, t.line.width]))")


def test_one_optimizer_is_highlighted_by_its_star_and_by_its_label(opened):
    opened.get_by_role("button", name="highlight re", exact=True).click()
    widths = widths_of(opened, "group-1-ranks")
    assert widths["re"] > 2 * max(widths["de"], widths["rs"])
    assert opened.locator(".board tr.mine th").inner_text().endswith("re")
    label = opened.locator("#group-1-targets .annotation", has_text="rs")
    label.scroll_into_view_if_needed()
    label.locator("rect.bg").click(force=True)
    widths = widths_of(opened, "group-1-targets")
    assert widths["rs"] > 2 * widths["re"]
    opened.get_by_role("button", name="show all").click()
    assert len(set(widths_of(opened, "group-1-ranks").values())) == 1


def test_labels_at_line_ends_do_not_overlap(opened):
    for figure in ("group-1-regret", "group-1-targets", "group-1-ranks", "group-1-robustness"):
        boxes = [label.bounding_box() for label in opened.locator(f"#{figure} .annotation .annotation-text").all()]
        assert len(boxes) == len(OPTIMIZERS)
        boxes.sort(key=lambda box: box["y"])
        for above, below in pairwise(boxes):
            assert above["y"] + 0.8 * above["height"] <= below["y"]


def test_files_are_taken_from_the_page_itself(chromium, page_path, tmp_path):
    alone = tmp_path / "alone.html"
    alone.write_bytes(page_path.read_bytes())
    page = chromium.new_page(accept_downloads=True)
    page.goto(alone.as_uri())
    for link in ("group-1/regret.csv", "group-1/leaderboard.tex", "methods/suite-1.toml", "group-1/ranks.pdf"):
        with page.expect_download(timeout=MINUTE) as found:
            page.locator(f"a[href='{link}']").first.click()
        assert found.value.suggested_filename == link.replace("/", "-")
        assert found.value.path().read_bytes() == (page_path.parent / link).read_bytes()
    page.close()


def test_on_paper_figures_and_tables_fit_the_sheet(chromium, page_path):
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    page.goto(page_path.as_uri())
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_timeout(200)
    assert page.evaluate("Math.max(...[...document.querySelectorAll('.main-svg')].map(svg => svg.clientWidth))") <= 690
    page.set_viewport_size({"width": 690, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 690
    assert page.evaluate("[...document.querySelectorAll('.scroll')].every(e => e.scrollWidth <= e.clientWidth + 1)")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.close()


def test_nothing_is_wider_than_the_screen(opened):
    width = opened.viewport_size["width"]  # not window.innerWidth: a phone zooms out until a wide page fits
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    ends = opened.evaluate("[...document.querySelectorAll('.main-svg')].map(svg => svg.getBoundingClientRect().right)")
    assert max(ends) <= width
    inner = (
        "[...document.querySelectorAll('table')].every(e => e.parentElement.scrollWidth <= e.parentElement.clientWidth)"
    )
    assert opened.evaluate(inner) or width > 600  # on a phone a table becomes cards, which need no scrolling
    assert opened.evaluate("parseFloat(getComputedStyle(document.querySelector('td')).fontSize)") >= 12
