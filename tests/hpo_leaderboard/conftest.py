"""A leaderboard without its page."""

import pytest


@pytest.fixture
def no_page(monkeypatch):
    """`hpo leaderboard` writes no page, which takes most of its time; the tests of the report look at pages."""
    monkeypatch.setattr("hpo_leaderboard.report.write_report", lambda scored, folder: folder / "index.html")
