"""Reproductions: a folder per paper, a file per figure or table, and the frame that runs them and writes the page."""
