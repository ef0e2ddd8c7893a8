"""Table 3: whether training again helps, by balanced accuracy."""

from __future__ import annotations

from hpo_papers.ram2022.boosting.retraining_table import item_of

PRINTED = {
    1000: ((40, 45, 1.25, 15, 0.18), (25, 60, 1.81, 15, 1.77), (30, 50, 2.57, 20, 1.50)),
    5000: ((30, 45, 0.51, 25, 0.48), (20, 55, 0.47, 25, 0.66), (20, 70, 0.82, 10, 0.74)),
    10000: ((10, 60, 0.17, 30, 0.12), (5, 70, 0.29, 25, 0.09), (20, 60, 0.54, 20, 0.03)),
}
ITEM = item_of("Table 3", "accuracy", PRINTED)
