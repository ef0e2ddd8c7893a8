"""The command line `hpo`: `commands` maps its words to functions, one module per subject holds them.

A command is a function that adds its arguments to a parser and sets `action`, a function of the parsed options and of
the `Output` (`hpo_cli.parts.rendering`) that prints its rows. What an action returns is the exit status, None being 0.
"""
