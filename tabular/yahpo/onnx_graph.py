"""Reading of YAHPO Gym's own files, once, to pack them: the graph of a network (ONNX) as arrays and transforms.

The graph is followed from its inputs to its output, and what it computes must be of the form

    x        the columns of x_cont, each after its own `Transform`, behind the rows of embedding tables by x_cat
    h_0      = first(x)
    h_k+1    = h_k + second_k(a * relu(b)),     (a, b) = first_k(norm_k(h_k))          a residual block, ReGLU
    output   = transforms of sigmoid(head(relu(norm(h_K))))

in which first, second and head are linear and norm is batch normalisation with recorded moments. Anything else raises
`UnsupportedGraph`, so that a network is never packed as something that it is not. Only this module needs `onnx`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.errors import HpoError, MissingExtra
from tabular.yahpo.transform import EXP, LOG, Transform

EPSILON = 1e-5  # of batch normalisation, in every network


class UnsupportedGraph(HpoError, ValueError):
    """A network that is not of the form that is read here."""


@dataclass(frozen=True, eq=False)
class Graph:
    """What a network's file holds.

    Attributes
    ----------
    arrays
        Weights by name, as `tabular.yahpo.surrogate` lists them.
    inputs, outputs
        Transforms of the columns of x_cont and of the targets, in the graph's order.
    """

    arrays: dict[str, np.ndarray]
    inputs: tuple[Transform, ...]
    outputs: tuple[Transform, ...]


class _Nodes:
    """The nodes of a graph by what they produce, and its constants."""

    def __init__(self, graph: Any):
        from onnx import helper, numpy_helper

        self.constants: dict[str, np.ndarray] = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        self.by_output: dict[str, Any] = {}
        for node in graph.node:
            if node.op_type == "Constant":
                value = helper.get_attribute_value(node.attribute[0])
                self.constants[node.output[0]] = numpy_helper.to_array(value)
            self.by_output[node.output[0]] = node
        self._attribute = helper.get_attribute_value

    def node(self, name: str, *kinds: str) -> Any:
        """The node that produces a name, which must be of one of some kinds."""
        node = self.by_output.get(name)
        if node is None or node.op_type not in kinds:
            found = "an input" if node is None else node.op_type
            raise UnsupportedGraph(f"expected {' or '.join(kinds)} at {name!r} of the network, found {found}")
        return node

    def attributes(self, node: Any) -> dict[str, Any]:
        return {attribute.name: self._attribute(attribute) for attribute in node.attribute}


def read_graph(path: Path) -> Graph:
    """The network of an ONNX file."""
    try:
        import onnx
    except ImportError:
        raise MissingExtra("onnx") from None
    graph = onnx.load(str(path)).graph
    nodes = _Nodes(graph)
    columns = nodes.node(graph.output[0].name, "Concat").input
    chains = [_output_chain(nodes, name, index) for index, name in enumerate(columns)]
    sigmoids = {source for source, _ in chains}
    if len(sigmoids) != 1:
        raise UnsupportedGraph(f"all targets must come from one layer, got {len(sigmoids)}")
    arrays, x = _layers(nodes, nodes.node(sigmoids.pop(), "Sigmoid").input[0])
    embeddings, inputs = _inputs(nodes, x)
    return Graph({**embeddings, **arrays}, inputs, tuple(transform for _, transform in chains))


# --- numbers before the first layer and after the last ---------------------------------------------------------------


def _output_chain(nodes: _Nodes, name: str, index: int) -> tuple[str, Transform]:
    """The layer that a target is a column of, and its transform."""
    gather, transform = _chain(nodes, name)
    if int(nodes.constants[gather.input[1]]) != index:
        raise UnsupportedGraph(f"target {index} must be column {index} of the last layer")
    return gather.input[0], transform


def _chain(nodes: _Nodes, name: str) -> tuple[Any, Transform]:
    """The `Gather` node of a column, and what happens to it on the way to `name`."""
    steps: list[Callable[[Transform], Transform]] = []
    node = nodes.node(name, "Unsqueeze")
    while node.op_type != "Gather":
        steps.append(_step(nodes, node))
        node = nodes.node(node.input[0], *KNOWN_STEPS)
    transform = Transform()
    for step in reversed(steps):
        transform = step(transform)
    return node, transform


KNOWN_STEPS = ("Gather", "Unsqueeze", "Cast", "Add", "Sub", "Mul", "Div", "Neg", "Log", "Exp", "Round")


def _step(nodes: _Nodes, node: Any) -> Callable[[Transform], Transform]:
    """What an elementwise node does, as a change of a transform; a cast changes the type of number only."""
    from dataclasses import replace

    if node.op_type in ("Unsqueeze", "Cast"):
        return lambda transform: transform
    if node.op_type in ("Log", "Exp"):
        function = LOG if node.op_type == "Log" else EXP
        return lambda transform: transform.then_function(function)
    if node.op_type == "Neg":
        return lambda transform: transform.then_affine(-1.0, 0.0)
    if node.op_type == "Round":
        return lambda transform: replace(transform, rounds=True)
    c = float(nodes.constants[node.input[1]])
    scale, shift = {"Add": (1.0, c), "Sub": (1.0, -c), "Mul": (c, 0.0), "Div": (1.0 / (c or np.nan), 0.0)}[node.op_type]
    return lambda transform: transform.then_affine(scale, shift)


def _inputs(nodes: _Nodes, x: str) -> tuple[dict[str, np.ndarray], tuple[Transform, ...]]:
    """Embedding tables by name, and the transforms of the numbers, from the input of the first layer."""
    categories, numbers = nodes.node(x, "Concat").input
    tables = {}
    for index, name in enumerate(nodes.node(categories, "Concat").input):
        lookup = nodes.node(name, "Gather")
        column = nodes.node(lookup.input[1], "Gather")
        if column.input[0] != "x_cat" or int(nodes.constants[column.input[1]]) != index:
            raise UnsupportedGraph(f"embedding {index} must be of column {index} of x_cat")
        tables[f"embedding.{index}"] = nodes.constants[lookup.input[0]]
    transforms = []
    for index, name in enumerate(nodes.node(numbers, "Concat").input):
        column, transform = _chain(nodes, name)
        if column.input[0] != "x_cont" or int(nodes.constants[column.input[1]]) != index:
            raise UnsupportedGraph(f"input {index} must be column {index} of x_cont")
        transforms.append(transform)
    return tables, tuple(transforms)


# --- layers ----------------------------------------------------------------------------------------------------------


def _layers(nodes: _Nodes, logits: str) -> tuple[dict[str, np.ndarray], str]:
    """Weights by name from the last layer back to the first, and the name of the first one's input."""
    head, after = _linear(nodes, logits)
    arrays = _named("head", head)
    arrays["last.norm"], h = _norm(nodes, nodes.node(after, "Relu").input[0])
    blocks = []
    while nodes.node(h, "Add", "Gemm").op_type == "Add":
        h, second = nodes.by_output[h].input
        block, start = _block(nodes, second)
        if start != h:
            raise UnsupportedGraph("a residual block must start where it is added")
        blocks.append(block)
    first, x = _linear(nodes, h)
    arrays |= _named("first", first)
    for index, block in enumerate(reversed(blocks)):
        arrays |= {f"{index}.{name}": array for name, array in block.items()}
    return arrays, x


def _block(nodes: _Nodes, second: str) -> tuple[dict[str, np.ndarray], str]:
    """Weights of a residual block by name, and the name of its input."""
    weights, product = _linear(nodes, second)
    a, gate = nodes.node(product, "Mul").input
    b = nodes.node(gate, "Relu").input[0]
    slices = [nodes.node(name, "Slice") for name in (a, b)]
    if slices[0].input[0] != slices[1].input[0] or slices[0].input[2] != slices[1].input[1]:
        raise UnsupportedGraph("a gated layer must have its values in the first half and its gates in the second")
    gated, normed = _linear(nodes, slices[0].input[0])
    norm, start = _norm(nodes, normed)
    if gated[0].shape[0] != 2 * weights[0].shape[1]:
        raise UnsupportedGraph("a gated layer must have two halves of one size")
    return {"norm": norm, **_named("first", gated), **_named("second", weights)}, start


def _linear(nodes: _Nodes, name: str) -> tuple[tuple[np.ndarray, np.ndarray], str]:
    """Weights (out, in) and biases (out,) of a linear layer, and the name of its input."""
    node = nodes.node(name, "Gemm")
    options = nodes.attributes(node)
    if (options.get("alpha", 1.0), options.get("beta", 1.0), options.get("transB", 0)) != (1.0, 1.0, 1):
        raise UnsupportedGraph(f"a linear layer must be x W' + b, got {options}")
    x, weights, biases = node.input
    return (nodes.constants[weights], nodes.constants[biases]), x


def _norm(nodes: _Nodes, name: str) -> tuple[np.ndarray, str]:
    """Batch normalisation as (4, width): weight, bias, mean and variance; and the name of its input."""
    node = nodes.node(name, "BatchNormalization")
    if abs(nodes.attributes(node)["epsilon"] / EPSILON - 1.0) > 1e-6:
        raise UnsupportedGraph(f"batch normalisation must have epsilon {EPSILON}, got {nodes.attributes(node)}")
    x, *moments = node.input
    return np.stack([nodes.constants[moment] for moment in moments]), x


def _named(name: str, layer: tuple[np.ndarray, np.ndarray]) -> dict[str, np.ndarray]:
    return {f"{name}.weight": layer[0], f"{name}.bias": layer[1]}
