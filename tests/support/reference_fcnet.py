"""The FC-Net trainer once more, slow and plain: numpy in float64, from the published recipe; an oracle for the kernel.

It draws the kernel's random numbers, computed here with Python's integers from their definition.
"""

import numpy as np

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix64(x):
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def mix32(x):
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
    x = ((x ^ (x >> 15)) * 0x846CA68B) & 0xFFFFFFFF
    return x ^ (x >> 16)


def stream(seed, purpose, step):
    key = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    return mix64((mix64((key + purpose * GOLDEN) & MASK) + step * GOLDEN) & MASK)


def initial_weights(seed, layer, fan_in, fan_out):
    """Glorot-uniform (fan_in, fan_out) weights above a row of biases 0."""
    key = stream(seed, 1, layer)
    draws = [mix64((key + k * GOLDEN) & MASK) >> 11 for k in range(fan_in * fan_out)]
    uniform = np.array(draws, float).reshape(fan_in, fan_out) / 2**53
    limit = np.sqrt(6 / (fan_in + fan_out))
    return np.vstack([limit * (2 * uniform - 1), np.zeros(fan_out)])


def shuffled(order, seed, epoch):
    key, order = stream(seed, 2, epoch), list(order)
    for last in range(len(order) - 1, 0, -1):
        other = ((mix64((key + last * GOLDEN) & MASK) >> 32) * (last + 1)) >> 32
        order[last], order[other] = order[other], order[last]
    return order


def dropout_factors(seed, step, layer, n_samples, n_units, rate):
    """(n_samples, n_units) of 0 and 1 / (1 - rate); the kernel counts in chunks of 8 samples and of filled-up units."""
    key = stream(seed, 3, 2 * step + layer)
    low, high = key & 0xFFFFFFFF, key >> 32
    rows = -(-n_units // 8) * 8 + 1
    factors = np.empty((n_samples, n_units))
    for sample in range(n_samples):
        for unit in range(n_units):
            index = ((sample // 8) * rows + unit) * 8 + sample % 8
            bits = mix32(mix32((index + low) & 0xFFFFFFFF) ^ high)
            factors[sample, unit] = 0 if bits < int(rate * 2**32) else 1 / (1 - rate)
    return factors


def with_ones(values):
    return np.hstack([values, np.ones((len(values), 1))])


def activation(kind, z):
    return np.maximum(z, 0) if kind == "relu" else np.tanh(z)


def derivative(kind, a):
    return (a > 0).astype(float) if kind == "relu" else 1 - a**2


def loss_and_deltas(outputs, target, n_classes):
    """Mean loss, share of wrong classes, and the derivative of the loss by the outputs."""
    if not n_classes:
        error = outputs[:, 0] - target
        return np.mean(error**2), 0.0, (2 * error / len(error))[:, None]
    scores = outputs - outputs.max(axis=1, keepdims=True)
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    own = np.arange(len(target)), target.astype(int)
    loss, wrong = -np.log(shares[own]).mean(), np.mean(outputs.argmax(axis=1) != target)
    shares[own] -= 1
    return loss, wrong, shares / len(target)


def gradients(weights, recipe, x, y, n_classes, factors=(1.0, 1.0)):
    """Mean loss, share of wrong classes, and the gradient of the loss by each layer's weights."""
    w1, w2, w3 = weights
    a1 = activation(recipe.activation_1, with_ones(x) @ w1)
    h1 = a1 * factors[0]
    a2 = activation(recipe.activation_2, with_ones(h1) @ w2)
    h2 = a2 * factors[1]
    loss, wrong, d3 = loss_and_deltas(with_ones(h2) @ w3, y, n_classes)
    d2 = (d3 @ w3[:-1].T) * factors[1] * derivative(recipe.activation_2, a2)
    d1 = (d2 @ w2[:-1].T) * factors[0] * derivative(recipe.activation_1, a1)
    return loss, wrong, [with_ones(x).T @ d1, with_ones(h1).T @ d2, with_ones(h2).T @ d3]


def train(recipe, sets, n_classes, seed, epochs):
    """Weights of the three layers, and curves [epoch, train/valid/test, loss/share of wrong]."""
    (x, y), *others = sets
    sizes = [x.shape[1], recipe.n_units_1, recipe.n_units_2, max(1, n_classes)]
    weights = [initial_weights(seed, k + 1, sizes[k], sizes[k + 1]) for k in range(3)]
    m, v = [np.zeros_like(w) for w in weights], [np.zeros_like(w) for w in weights]
    curves, order, step = np.zeros((epochs, 3, 2)), range(len(x)), 0
    for epoch in range(epochs):
        rate = recipe.learning_rate
        if recipe.schedule == "cosine":
            rate *= (1 + np.cos(np.pi * epoch / 100)) / 2
        order = shuffled(order, seed, epoch)
        for first in range(0, len(x), recipe.batch_size):
            rows = order[first : first + recipe.batch_size]
            factors = [
                dropout_factors(seed, step, layer, len(rows), sizes[layer + 1], dropout) if dropout else 1.0
                for layer, dropout in enumerate((recipe.dropout_1, recipe.dropout_2))
            ]
            loss, wrong, gradient = gradients(weights, recipe, x[rows], y[rows], n_classes, factors)
            curves[epoch, 0] += np.array([loss, wrong]) * len(rows) / len(x)
            step += 1
            corrected = rate * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
            for k in range(3):
                m[k] = 0.9 * m[k] + 0.1 * gradient[k]
                v[k] = 0.999 * v[k] + 0.001 * gradient[k] ** 2
                weights[k] = weights[k] - corrected * m[k] / (np.sqrt(v[k]) + 1e-7)
        for k, (features, target) in enumerate(others):
            curves[epoch, 1 + k] = gradients(weights, recipe, features, target, n_classes)[:2]
    return weights, curves
