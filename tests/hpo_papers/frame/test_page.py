"""The page of a reproduction, and its Markdown."""

from hpo_papers.frame import page
from hpo_papers.frame.catalogue import NamedItem
from hpo_papers.frame.page import number, write_pages
from hpo_papers.frame.plan import make_plan
from hpo_papers.frame.reproduction import ReproductionSettings, reproduce

MADE = NamedItem("made", "made/squares", "made_item")


def pages(out, monkeypatch, cpu_seconds=None, **settings):
    monkeypatch.setenv("MADE_ITEM_FOLDER", str(out / "runs"))
    monkeypatch.setattr(page, "title_of", lambda paper: "Nobody (2000), <Squares>")
    results = list(reproduce(make_plan([MADE], cpu_seconds), ReproductionSettings(out, **settings)))
    html, markdown = write_pages(results, out, "hpo reproduce made")
    return html.read_text(), markdown.read_text()


def test_the_page_stands_alone_and_has_everything(tmp_path, monkeypatch):
    html, markdown = pages(tmp_path, monkeypatch)
    assert "<svg" in html and "src=" not in html and 'href="http' not in html and "url(http" not in html
    for text in ("squares &lt; 100", "&lt;Squares&gt;", "1 reproduced", "hpo reproduce made/squares"):
        assert text in html
    assert "285" in html
    for text in ("**reproduced**", "| sum | 285 | 285 |", "digest of code"):
        assert text in markdown


def test_fewer_runs_are_said_on_the_figure(tmp_path, monkeypatch):
    html, _ = pages(tmp_path, monkeypatch, 9.0)
    svg = html[html.index("<svg") : html.index("</svg>")]
    assert "4 of 10 runs" in svg


def test_what_is_not_finished_is_shown_as_such(tmp_path, monkeypatch):
    html, markdown = pages(tmp_path, monkeypatch, seconds=-1.0)
    assert "not finished" in html and "not begun" in html
    assert "**not finished**" in markdown


def test_equal_numbers_give_equal_pages(tmp_path, monkeypatch):
    assert pages(tmp_path, monkeypatch) == pages(tmp_path, monkeypatch)


def test_numbers():
    assert [number(0.1234), number(None), number(float("nan")), number(0.00012), number(1234.0, 0)] == [
        "0.123", "", "", "0.00012", "1,234",
    ]  # fmt: skip
