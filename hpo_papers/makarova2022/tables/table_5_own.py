"""Table 5 with the bounds of this package's model in place of the recorded ones, and with our default rule."""

from hpo_papers.makarova2022.tables.own import item_of
from hpo_papers.makarova2022.tables.printed import TABLE_5, TABLE_5_COLUMNS

ITEM = item_of("Table 5", "nas", TABLE_5, TABLE_5_COLUMNS, seconds=12.0)
