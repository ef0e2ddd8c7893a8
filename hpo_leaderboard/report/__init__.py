"""The report: a page, tables and figures of what a store holds; see docs/report.md."""

from hpo_leaderboard.report.page import write_figures, write_report
from hpo_leaderboard.report.scored.whole_store import ScoredStore, score_store

__all__ = ["ScoredStore", "score_store", "write_figures", "write_report"]
