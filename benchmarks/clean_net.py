"""Train several small networks at once, for one output whose targets may be shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Recipe:
    nets: int = 4
    units: int = 32
    epochs: int = 12
    batch: int = 512
    rate: float = 2e-3
    decay: float = 0.5
    """Share of each weight, times the rate, that it loses a step."""
    unit_drop: float = 0.2
    """Share of the units that each row does without."""
    feature_drop: float = 0.1
    """Share of the features that each batch does without."""
    seed: int = 0


def fit_networks(rows: Floats, targets: Floats, weights: Floats, recipe: Recipe) -> tuple[Floats, ...]:
    """Hidden weights (features x units of all networks), their biases, output weights (units of all networks x 1) and
    bias of the mean of all networks. ``rows`` are standardised; the networks see the same batches but begin apart and
    drop other units. Adam with decoupled decay of weights, its rate falling along half a cosine."""
    rng = np.random.default_rng(recipe.seed)
    count, width = rows.shape
    nets, units, batch = recipe.nets, recipe.units, min(recipe.batch, count)

    def start(inputs: int, outputs: int, shape: tuple[int, int]) -> Floats:
        bound = np.sqrt(6 / (inputs + outputs))
        return rng.uniform(-bound, bound, shape).astype(np.float32)

    parameters = [
        start(width, units, (width, nets * units)),
        np.zeros(nets * units, np.float32),
        start(units, 1, (nets, units)),
        np.zeros(nets, np.float32),
    ]
    hidden, hidden_bias, output, output_bias = parameters
    first, second = ([np.zeros_like(each) for each in parameters] for _ in range(2))
    weights = weights / weights.mean() / batch
    steps, step = recipe.epochs * (count // batch), 0
    for _ in range(recipe.epochs):
        order = rng.permutation(count)
        for place in range(0, count - batch + 1, batch):
            step += 1
            chosen = order[place : place + batch]
            seen = rows[chosen] * (rng.random((1, width), dtype=np.float32) > recipe.feature_drop)
            active = seen @ hidden + hidden_bias
            np.maximum(active, 0, out=active)
            left = rng.random(active.shape, dtype=np.float32) > recipe.unit_drop
            left = left.astype(np.float32) / np.float32(1 - recipe.unit_drop)
            active *= left
            by_net = active.reshape(batch, nets, units)
            chance = 1 / (1 + np.exp(-(by_net * output).sum(2) - output_bias))
            error = (chance - targets[chosen, None]) * weights[chosen, None]
            back = (error[:, :, None] * output).reshape(batch, -1) * left
            back[active <= 0] = 0
            slopes = (seen.T @ back, back.sum(0), (error[:, :, None] * by_net).sum(0), error.sum(0))
            rate = recipe.rate * (0.5 * (1 + np.cos(np.pi * step / steps)) * 0.95 + 0.05)
            for each, mean, square, slope in zip(parameters, first, second, slopes, strict=True):
                mean += 0.1 * (slope - mean)
                square += 0.001 * (slope * slope - square)
                each -= rate / (1 - 0.9**step) * mean / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
                if each.ndim == 2:
                    each *= 1 - rate * recipe.decay
    output /= nets
    return hidden, hidden_bias, output.reshape(-1, 1), output_bias.mean(keepdims=True, dtype=np.float32)
