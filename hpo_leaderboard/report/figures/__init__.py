"""Figures of the report: what they show, how they look, and how they are drawn on paper."""
