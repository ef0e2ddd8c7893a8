"""The site as `make docs` builds it: no warning, no link to nowhere, nothing from another host."""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("mkdocstrings", reason="the extra docs is not installed")
ROOT = Path(__file__).parent.parent.parent
LOADED = {"script": "src", "img": "src", "source": "srcset", "iframe": "src", "link": "href"}
NOT_LOADED = {"canonical", "prev", "next", "edit"}  # relations of a link element that load nothing
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MINUTE = 60_000  # milliseconds
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == 0 and all(line.startswith("INFO ") for line in said.splitlines() if line), said
    return folder


class Reader(HTMLParser):
    """What a page links to, what it loads, and the anchors that it has."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag in LOADED and given.get(LOADED[tag]) and given.get("rel") not in NOT_LOADED:
            self.loaded.append(given[LOADED[tag]])


@pytest.fixture(scope="module")
def pages(site):
    """Pages by their path."""
    return {path: Reader(path.read_text()) for path in sorted(site.rglob("*.html"))}


def target(page, address):
    """File and anchor that an address on a page leads to."""
    parts = urlsplit(address)
    return (page.parent / unquote(parts.path)).resolve() if parts.path else page, unquote(parts.fragment)


def test_every_page_is_built(site, pages):
    built = {str(path.relative_to(site)) for path in pages}
    assert {f"{page.relative_to(ROOT / 'docs').with_suffix('')}.html" for page in (ROOT / "docs").rglob("*.md")} < built
    assert {"contributing.html", "changelog.html", "report_a_vulnerability.html"} < built


def test_links_lead_to_pages_and_anchors(site, pages):
    broken = []
    for page, read in pages.items():
        if page.name == "404.html":  # it is shown for any address, so its links begin at the site's root
            continue
        for address in read.links:
            if urlsplit(address).scheme or address.startswith("//"):
                continue
            path, anchor = target(page, address)
            if not path.is_file() or (anchor and path.suffix == ".html" and anchor not in pages[path].anchors):
                broken.append(f"{page.relative_to(site)}: {address}")
    assert broken == []


def test_nothing_comes_from_another_host(site, pages):
    """Scripts, styles, fonts and images lie in the site itself."""
    for page, read in pages.items():
        assert [each for each in read.loaded if urlsplit(each).netloc] == [], page
        if page.name != "404.html":
            assert [each for each in read.loaded if not target(page, each)[0].exists()] == [], page
    for style in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import )[\"']?(?:https?:)?//", style.read_text()), style


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_page_that_is_opened_as_a_file_searches_and_asks_no_host(site):
    """It cannot fetch its index: a script has it, and a frame stands in for the worker."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as starter:
        browser = starter.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=2 * MINUTE
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "index.html").as_uri())
        page.focus("input[name=query]")
        page.keyboard.type("regret bound", delay=20)
        page.wait_for_selector(".md-search-result__link", timeout=2 * MINUTE)
        first = page.get_attribute(".md-search-result__link", "href")
        light, dark = page.query_selector_all(".both-schemes img")
        assert (light.is_visible(), dark.is_visible()) == (True, False)
        page.evaluate("document.querySelector('label[title=Dark]').click()")
        assert (light.is_visible(), dark.is_visible()) == (False, True)
        browser.close()
    assert "/stopping.html" in first
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []


def test_commands_and_names_are_on_their_pages(site, pages):
    from hpo_cli.commands import COMMANDS

    commands = pages[site / "reference" / "command_line.html"].anchors
    assert {f"hpo-{name}" for name in COMMANDS} <= commands
    assert {"hpo_core.Benchmark", "hpo_core.Benchmark.objective"} <= pages[site / "reference" / "hpo_core.html"].anchors
