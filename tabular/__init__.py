"""Tables: recorded evaluations of whole grids or of listed configurations, looked up instead of trained."""

from tabular.families import open_table
from tabular.frames.tables import table_from_frame
from tabular.hdf5 import read_table, write_table
from tabular.problem import TableProblem
from tabular.table import Table

__all__ = ["Table", "TableProblem", "open_table", "read_table", "table_from_frame", "write_table"]
