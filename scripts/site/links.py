"""Links of the Markdown pages, as they lead to files in the repository, turned into links of the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import PurePosixPath

SOURCES = "https://github.com/hpo-foundry/hpo-foundry/blob/main/"
ROOT_PAGES = {  # beside docs/, and what they are called on the site
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "report_a_vulnerability.md",
}
LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
FENCE = re.compile(r"(^ *```.*?^ *```)", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(
    r'<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(?P<dark>[^"]+)">\s*'
    r'<img src="(?P<light>[^"]+)"(?P<rest>[^>]*)>\s*</picture>'
)


def site_links(text: str, source: str) -> str:
    """The text of a page with links as the site has them; `source` is the page's path in the repository.

    A link to another page of the site stays one. One to any other file leads to that file in the repository.
    """
    return _outside_code(text, lambda part: LINK.sub(lambda found: _link(found, source), part))


def _link(found: re.Match[str], source: str) -> str:
    before, target, after = found.groups()
    return before + site_target(target, source) + after


def site_target(target: str, source: str) -> str:
    """Where a link of a page leads on the site."""
    if re.match(r"[a-z]+:", target):
        return target
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    page = site_page(path)
    if page is None:
        return SOURCES + path
    return posixpath.relpath(page, posixpath.dirname(site_page(source) or "") or ".")


def site_page(path: str) -> str | None:
    """Path on the site of a file of the repository, None for one that is no part of the site."""
    if path in ROOT_PAGES:
        return ROOT_PAGES[path]
    first, *rest = PurePosixPath(path).parts
    return "/".join(rest) if first == "docs" and rest else None


def both_pictures(text: str) -> str:
    """The text with `<picture>` elements, which follow the system's scheme, as two images that follow the site's."""
    light, dark = (rf'<img src="\g<{scheme}>#only-{scheme}"\g<rest>>' for scheme in ("light", "dark"))
    return PICTURE.sub(f'<div class="both-schemes">{light}{dark}</div>', text)


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    parts = FENCE.split(text)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))
