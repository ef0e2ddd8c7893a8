"""The reader of graphs: what it reads is what was built, and anything else is refused."""

import numpy as np
import pytest
from surrogate_networks import onnx_model, small_surrogate

from tabular.yahpo.onnx_graph import UnsupportedGraph, read_graph

pytest.importorskip("onnx")


@pytest.fixture
def write(tmp_path):
    def write(model):
        (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
        return tmp_path / "model.onnx"

    return write


def test_weights_and_transforms_are_read_as_they_were_built(write):
    surrogate = small_surrogate()
    graph = read_graph(write(onnx_model(surrogate)))
    assert graph.arrays.keys() == surrogate.arrays.keys()
    for name, array in surrogate.arrays.items():
        assert graph.arrays[name].dtype == np.float32 and np.array_equal(graph.arrays[name], array), name
    assert graph.inputs == tuple(number.transform for number in surrogate.numbers)
    assert graph.outputs == tuple(target.transform for target in surrogate.targets)


def test_another_gate_is_refused(write):
    with pytest.raises(UnsupportedGraph, match=r"expected Relu at 'n\d+' of the network, found Sigmoid"):
        read_graph(write(onnx_model(small_surrogate(), gate="Sigmoid")))


def test_gates_before_values_are_refused(write):
    with pytest.raises(UnsupportedGraph, match="values in the first half and its gates in the second"):
        read_graph(write(onnx_model(small_surrogate(), gates_first=True)))


def test_a_block_that_is_added_elsewhere_is_refused(write):
    with pytest.raises(UnsupportedGraph, match="must start where it is added"):
        read_graph(write(onnx_model(small_surrogate(), residual=False)))


def test_another_epsilon_is_refused(write):
    with pytest.raises(UnsupportedGraph, match="epsilon 1e-05"):
        read_graph(write(onnx_model(small_surrogate(), epsilon=1e-3)))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda model: _swap_inputs(model, "Concat", 0, 1), "column"),
        (lambda model: _swap_inputs(model, "Mul", 0, 1, last=True), "expected Relu"),
        (lambda model: _set(model, "Gemm", "transB", 0), "x W' \\+ b"),
    ],
)
def test_other_orders_are_refused(write, spoil, message):
    model = onnx_model(small_surrogate())
    spoil(model)
    with pytest.raises(UnsupportedGraph, match=message):
        read_graph(write(model))


def _swap_inputs(model, kind, i, j, last=False):
    """Swap two inputs of the first node of a kind, or of the last one that has no constant among them."""
    constants = {constant.name for constant in model.graph.initializer}
    nodes = [node for node in model.graph.node if node.op_type == kind and not constants & set(node.input)]
    node = nodes[-1 if last else 0]
    node.input[i], node.input[j] = node.input[j], node.input[i]


def _set(model, kind, name, value):
    node = next(node for node in model.graph.node if node.op_type == kind)
    next(attribute for attribute in node.attribute if attribute.name == name).i = value
