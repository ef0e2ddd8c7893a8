"""Table 4 with the bounds of this package's model in place of the recorded ones, and with our default rule."""

from hpo_papers.makarova2022.tables.own import item_of
from hpo_papers.makarova2022.tables.printed import TABLE_4, TABLE_4_COLUMNS

ITEM = item_of("Table 4", "fcnet", TABLE_4, TABLE_4_COLUMNS, seconds=90.0)
