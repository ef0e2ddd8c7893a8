"""Worker files of peer processes; each runs in an environment of its own, which has nothing of ours.

`serve.py` speaks the protocol of docs/process_adapter.md with the standard library alone, for any Python from 3.8 on.
It is given a worker file, which needs only its library:

    DISTRIBUTIONS = ["dehb", "numpy"]       what counts as the version
    LEAST_BUDGETS = 2                       if it needs several; may be left out

    def build(hyperparameters, budgets, seed, options):
        ...                                 an object with the two methods below

    ask() -> (config, budget, handle)       budget None for the full one; None alone if there is nothing to propose
    tell(handle, loss, cost)                loss None for a trial that failed
"""
