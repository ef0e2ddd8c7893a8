"""A worker file without a library: random search that remembers what it was told."""

import math
import random

DISTRIBUTIONS = []


class Sampling:
    def __init__(self, hyperparameters, seed, width=1.0):
        self._hyperparameters, self._rng, self._width = hyperparameters, random.Random(seed), width
        self.told = []

    def ask(self):
        config = {h["name"]: self._value(h) for h in self._hyperparameters}
        return config, None, len(self.told)

    def tell(self, handle, loss, cost):
        self.told.append(loss)

    def _value(self, h):
        if "values" in h:
            return self._rng.choice(h["values"])
        if h["kind"] == "int":
            return self._rng.randint(h["low"], h["high"])
        if h["log"]:
            drawn = math.exp(self._rng.uniform(math.log(h["low"]), math.log(h["high"])))
            return min(max(drawn, h["low"]), h["high"])
        return self._rng.uniform(h["low"], h["low"] + self._width * (h["high"] - h["low"]))


def build(hyperparameters, budgets, seed, options):
    return Sampling(hyperparameters, seed, **options)
