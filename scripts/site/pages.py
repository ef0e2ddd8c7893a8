"""What MkDocs calls while it builds the site, see `hooks` in mkdocs.yml."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from scripts.site.command_line import command_line
from scripts.site.facade import facade
from scripts.site.links import ROOT_PAGES, both_pictures, site_links

NOT_TESTED = re.compile(r"^(```\w+) notest$", re.MULTILINE)  # said of code that no test runs
LISTED = re.compile(r"^\| \[([^\]]+)\]\(([^)]+)\)", re.MULTILINE)  # first column of the table of results
GENERATED: Mapping[str, Callable[[], str]] = {"<!-- commands -->": command_line, "<!-- facade -->": facade}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The settings of the site, with the pages of the results in the navigation, if they were made."""
    index = Path(config.docs_dir) / "results" / "index.md"
    listed = LISTED.findall(index.read_text(encoding="utf-8")) if index.is_file() else []
    pages = [{"Overview": "results/index.md"}, *({title: f"results/{page}"} for title, page in listed)]
    of_results = {"Results": "results/"}
    config.nav = [{"Results": pages} if entry == of_results else entry for entry in config.nav or ()]
    if not listed:
        config.nav = [entry for entry in config.nav if "Results" not in entry]
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """The files of the site: those in docs/, and the pages beside it."""
    root = Path(config.docs_dir).parent
    for name, page in ROOT_PAGES.items():
        if files.get_file_from_path(page) is None:
            file = File.generated(config, page, abs_src_path=str(root / name))
            file.edit_uri = f"../{name}"
            files.append(file)
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The text of a page as the site shows it."""
    for marker, make in GENERATED.items():
        if marker in markdown:
            markdown = markdown.replace(marker, make())
    sources = {site: name for name, site in ROOT_PAGES.items() if site != "index.md"}
    uri = page.file.src_uri
    markdown = NOT_TESTED.sub(r"\1", markdown)
    return both_pictures(site_links(markdown, sources.get(uri, f"docs/{uri}")))
