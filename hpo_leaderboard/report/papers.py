"""Where papers are found: arXiv identifiers and DOIs by author and year, as optimizers and benchmarks cite them."""

from __future__ import annotations

import re
from typing import NamedTuple

IDENTIFIERS = {
    "Akiba et al. (2019)": "arXiv:1907.10902",
    "Awad et al. (2021)": "arXiv:2105.09821",
    "Balandat et al. (2020)": "arXiv:1910.06403",
    "Bergstra et al. (2013)": "arXiv:1209.5111",
    "Dong and Yang (2020)": "arXiv:2001.00326",
    "Eggensperger et al. (2021)": "arXiv:2109.06716",
    "Falkner et al. (2018)": "arXiv:1807.01774",
    "Hansen (2006)": "doi:10.1007/3-540-32494-1_4",
    "Hennig and Schuler (2012)": "arXiv:1112.1217",
    "Hutter et al. (2011)": "doi:10.1007/978-3-642-25566-3_40",
    "Jamieson and Talwalkar (2016)": "arXiv:1502.07943",
    "Klein and Hutter (2019)": "arXiv:1905.04970",
    "Klein et al. (2019)": "arXiv:1905.12982",
    "Li et al. (2017)": "arXiv:1603.06560",
    "Li et al. (2018)": "arXiv:1810.05934",
    "Lindauer et al. (2022)": "arXiv:2109.09831",
    "Real et al. (2019)": "arXiv:1802.01548",
    "Salinas et al. (2023)": "arXiv:2305.03623",
    "Snoek et al. (2012)": "arXiv:1206.2944",
    "Snoek et al. (2015)": "arXiv:1502.05700",
    "Srinivas et al. (2010)": "arXiv:0912.3995",
    "Storn and Price (1997)": "doi:10.1023/A:1008202821328",
    "Tiao et al. (2021)": "arXiv:2102.09009",
    "Williams (1992)": "doi:10.1007/BF00992696",
}
SITES = {"arXiv": "https://arxiv.org/abs/", "doi": "https://doi.org/"}
WRITTEN = re.compile(r"\b(arXiv|doi):\s?(\S+?)(?=[,;)]?(?:\s|$))")


class Link(NamedTuple):
    """An identifier as it is shown, such as arXiv:1603.06560, and its address."""

    text: str
    address: str


def links(paper: str) -> list[Link]:
    """Links of the papers that a text cites by author and year, or by an identifier that stands in it.

    >>> [link.text for link in links("Li et al. (2017); Klein (2020), section 5")]
    ['arXiv:1603.06560']
    """
    known = [identifier for citation, identifier in IDENTIFIERS.items() if citation in paper]
    found = [*known, *(f"{kind}:{number}" for kind, number in WRITTEN.findall(paper))]
    return [Link(text, SITES[kind] + number) for text in found for kind, _, number in [text.partition(":")]]
