"""Table 4: whether training again helps, by AuROC."""

from __future__ import annotations

from hpo_papers.ram2022.boosting.retraining_table import item_of

PRINTED = {
    1000: ((5, 80, 0.79, 15, 0.72), (0, 75, 0.42, 25, 2.15), (10, 70, 0.34, 20, 0.27)),
    5000: ((15, 45, 0.15, 40, 0.15), (10, 60, 0.24, 30, 0.06), (10, 50, 0.39, 40, 0.05)),
    10000: ((5, 75, 0.10, 20, 0.02), (0, 90, 0.09, 10, 0.01), (0, 100, 0.21, 0, 0.00)),
}
ITEM = item_of("Table 4", "auroc", PRINTED)
