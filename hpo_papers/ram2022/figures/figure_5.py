"""Figure 5: heuristic 3.1 for fixed tolerances, 18 configurations."""

from __future__ import annotations

from hpo_papers.ram2022.figures.tolerance_grid import item_of

ITEM = item_of(18, "Figure 5")
