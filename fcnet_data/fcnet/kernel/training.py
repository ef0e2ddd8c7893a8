"""The training loop, compiled: one call trains one network without holding Python's lock.

A run is a function of its data, its settings, its learning rates and its key; nothing is shared between runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fcnet_data.fcnet.inputs import Chunks, KernelSettings
from fcnet_data.fcnet.kernel.compiling import SOURCES, compiled, part
from fcnet_data.fcnet.kernel.dense import BETA_1, BETA_2
from fcnet_data.fcnet.kernel.network import FcnetNetwork, evaluate, initialise, lay_out, train_batch
from fcnet_data.fcnet.kernel.random_stream import SHUFFLE, shuffle, stream


@part
def _gather(memory: np.ndarray, network: FcnetNetwork, x: np.ndarray, y: np.ndarray, rows: np.ndarray) -> None:
    """Copy the samples x[rows], y[rows] to the network's inputs and targets."""
    for sample in range(rows.size):
        first = network.layer_1.inputs + (sample // 8) * (x.shape[1] + 1) * 8 + sample % 8
        for feature in range(x.shape[1]):
            memory[first + feature * 8] = x[rows[sample], feature]
        memory[network.targets + sample] = y[rows[sample]]


def _entry(sources: str, keep: bool) -> Any:
    @compiled(nogil=True, cache=keep)
    def run(
        settings: KernelSettings,
        x: np.ndarray,
        y: np.ndarray,
        valid: Chunks,
        test: Chunks,
        rates: np.ndarray,
        key: np.uint64,
        curves: np.ndarray,
    ) -> tuple[int, np.ndarray, FcnetNetwork]:
        sources  # noqa: B018  the variables of a closure are part of the key under which numba keeps it
        network = lay_out(settings)
        memory = np.zeros(network.size, np.float32)
        initialise(memory, network, settings, key)
        n_train = x.shape[0]
        order = np.arange(n_train)
        power_1, power_2, step = 1.0, 1.0, 0
        for epoch in range(rates.size):
            shuffle(order, stream(key, SHUFFLE, epoch))
            loss, wrong = 0.0, 0
            for start in range(0, n_train, settings.batch_size):
                n_samples = min(settings.batch_size, n_train - start)
                power_1 *= BETA_1
                power_2 *= BETA_2
                rate = np.float32(rates[epoch] * np.sqrt(1.0 - power_2) / (1.0 - power_1))
                _gather(memory, network, x, y, order[start : start + n_samples])
                sums = train_batch(memory, network, settings, n_samples, rate, key, step)
                loss += sums[0]
                wrong += sums[1]
                step += 1
            curves[epoch, 0, 0], curves[epoch, 0, 1] = loss / n_train, wrong / n_train
            curves[epoch, 1, 0], curves[epoch, 1, 1] = evaluate(memory, network, settings, valid)
            curves[epoch, 2, 0], curves[epoch, 2, 1] = evaluate(memory, network, settings, test)
            if not np.isfinite(curves[epoch, 0, 0]):
                return epoch + 1, memory, network
        return rates.size, memory, network

    return run


def entry() -> Any:
    """Compiled function that trains one network and fills `curves` [epoch, set, loss or share of wrong classes].

    It returns the number of epochs trained, the memory, and the network in it. The training entries are running means
    over the epoch's batches, with dropout, as Keras reports them. Training ends early after the first of them that is
    not a finite number: from then on the weights are NaN.
    """
    try:
        return _entry(SOURCES, keep=True)
    except RuntimeError:  # numba found no directory that it can write
        return _entry(SOURCES, keep=False)


run = entry()
