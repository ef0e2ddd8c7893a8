"""Tables: recorded evaluations of whole grids, which are looked up instead of trained."""

from tabular.families import open_table
from tabular.hdf5 import read_table, write_table
from tabular.problem import TableProblem
from tabular.table import Table

__all__ = ["Table", "TableProblem", "open_table", "read_table", "write_table"]
