"""`python -m hpo_foundry`: the command line `hpo`."""

from hpo_cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
