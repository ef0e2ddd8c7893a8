"""The report: a page, tables and figures of what a store holds; see docs/report.md."""

from hpo_leaderboard.report.page import write_report

__all__ = ["write_report"]
