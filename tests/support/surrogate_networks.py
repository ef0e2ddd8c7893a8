"""Small random surrogates, and networks as ONNX models of the form that YAHPO Gym's files have."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_core.space import Condition, Space
from hpo_core.space.hyperparameters import Categorical, Float, Int
from tabular.yahpo.scenarios import Scenario
from tabular.yahpo.surrogate import CategoricalInput, NetworkTarget, NumericInput, SurrogateNetwork
from tabular.yahpo.transform import EXP, LOG, Transform

SCENARIO = Scenario(
    name="small",
    source_name="small",
    summary="for tests",
    instances=("3", "12"),
    instance_name="task_id",
    fidelity="epoch",
    loss="error",
    loss_scale=1.0,
    loss_shift=0.0,
    cost="time",
    budgets=(1, 2, 4),
    budget_range=None,
    fixed={"repl": 10},
)


def small_surrogate(seed: int = 0, width: int = 6, units: int = 5, n_blocks: int = 3) -> SurrogateNetwork:
    """A surrogate with random weights, a condition, and every kind of transform."""
    rng = np.random.default_rng(seed)

    def draw(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)

    def norm() -> np.ndarray:
        moments = [rng.uniform(0.5, 1.5, width), draw(width), draw(width), rng.uniform(0.1, 2.0, width)]
        return np.array(moments, dtype=np.float32)

    arrays = {"embedding.0": draw(3, 4), "embedding.1": draw(4, 2), "first.weight": draw(width, 11)}
    arrays |= {"first.bias": draw(width), "last.norm": norm(), "head.weight": draw(4, width), "head.bias": draw(4)}
    for k in range(n_blocks):
        arrays |= {f"{k}.norm": norm(), f"{k}.first.weight": draw(2 * units, width), f"{k}.first.bias": draw(2 * units)}
        arrays |= {f"{k}.second.weight": draw(width, units), f"{k}.second.bias": draw(width)}
    return SurrogateNetwork(
        name="small",
        space=Space(
            [Float("x", -1, 1), Categorical("kind", ("b", "a", "c")), Int("n", 2, 9, log=True), Float("z", 0.5, 2)],
            [Condition("z", "kind", ("a", "c")), Condition("n", "kind", ("b", "c"))],
        ),
        numbers=(
            NumericInput("z", Transform(EXP, -0.5, 0.0, 1.5, -0.5)),
            NumericInput("epoch", Transform(LOG, 1.0, 1e-12, 0.25, 0.0)),
            NumericInput("x", Transform(inner_scale=0.5, inner_shift=0.5)),
            NumericInput("n", Transform(LOG, 1.0, 1e-12, 0.1, 1.0)),
            NumericInput("repl", Transform(inner_scale=0.1)),
        ),
        categories=(
            CategoricalInput("task_id", {"#na#": 0, "12": 1, "3": 2}),
            CategoricalInput("kind", {"#na#": 0, "a": 1, "b": 2, "c": 3}),
        ),
        targets=(
            NetworkTarget("time", Transform(inner_scale=40.0, inner_shift=0.125)),
            NetworkTarget("error", Transform(EXP, 4.0, -4.0, 1.0, -1e-12)),
            NetworkTarget("memory", Transform(LOG, 0.625, 0.375, -8.0, 0.0)),
            NetworkTarget("features", Transform(inner_scale=21.0, rounds=True)),
        ),
        arrays=arrays,
        provenance={"source": "random numbers"},
        published={},
    )


def onnx_model(surrogate: SurrogateNetwork, **changes: Any) -> Any:
    """The network as a graph of the operations that the original files have; `changes` spoil it, for tests."""
    usual = {"epsilon": 1e-5, "gate": "Relu", "gates_first": False, "residual": True}
    return _Builder(surrogate.arrays, usual | changes).model(surrogate)


class _Builder:
    """Nodes of a graph, in the making."""

    def __init__(self, arrays: Any, options: dict[str, Any]):
        self.arrays, self.options = arrays, options
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, kind: str, *inputs: Any, **attributes: Any) -> str:
        """Name of what a node gives; numbers and arrays among its inputs become constants."""
        from onnx import helper

        names = [name if isinstance(name, str) else self.constant(name) for name in inputs]
        self.nodes.append(helper.make_node(kind, names, [f"n{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def constant(self, value: Any) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.asarray(value), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def linear(self, x: str, name: str) -> str:
        return self.add("Gemm", x, self.arrays[f"{name}.weight"], self.arrays[f"{name}.bias"], transB=1)

    def norm(self, x: str, name: str) -> str:
        return self.add("BatchNormalization", x, *self.arrays[f"{name}.norm"], epsilon=self.options["epsilon"])

    def column(self, x: str, index: int, transform: Transform) -> str:
        """A column of x after a transform, computed in float64."""
        value = self.add("Cast", self.add("Gather", x, np.int64(index), axis=1), to=11)
        value = self.add("Add", self.add("Mul", value, transform.inner_scale), transform.inner_shift)
        if transform.function != "identity":
            value = self.add(transform.function.capitalize(), value)
            value = self.add("Add", self.add("Mul", value, transform.outer_scale), transform.outer_shift)
        if transform.rounds:
            value = self.add("Round", value)
        return self.add("Unsqueeze", self.add("Cast", value, to=1), np.array([1]))

    def gated(self, z: str, units: int) -> str:
        zero, half, end, axis = (self.constant(np.array([i])) for i in (0, units, 2 * units, -1))
        values, gates = self.add("Slice", z, zero, half, axis), self.add("Slice", z, half, end, axis)
        if self.options["gates_first"]:
            values, gates = gates, values
        return self.add("Mul", values, self.add(self.options["gate"], gates))

    def model(self, surrogate: SurrogateNetwork) -> Any:
        from onnx import helper

        tables = [self.arrays[f"embedding.{i}"] for i in range(len(surrogate.categories))]
        embedded = [
            self.add("Gather", table, self.add("Gather", "x_cat", np.int64(i), axis=1))
            for i, table in enumerate(tables)
        ]
        numbers = [self.column("x_cont", i, number.transform) for i, number in enumerate(surrogate.numbers)]
        parts = [self.add("Concat", *each, axis=1) for each in (embedded, numbers)]
        h = start = self.linear(self.add("Concat", *parts, axis=1), "first")
        for k in range(surrogate.n_blocks):
            z = self.linear(self.norm(h, str(k)), f"{k}.first")
            units = self.arrays[f"{k}.second.weight"].shape[1]
            added = h if self.options["residual"] else start
            h = self.add("Add", added, self.linear(self.gated(z, units), f"{k}.second"))
        sigmoids = self.add("Sigmoid", self.linear(self.add("Relu", self.norm(h, "last")), "head"))
        targets = [self.column(sigmoids, i, target.transform) for i, target in enumerate(surrogate.targets)]
        self.nodes.append(helper.make_node("Concat", targets, ["output"], axis=1))
        x_cat = helper.make_tensor_value_info("x_cat", 6, ["n", len(tables)])
        x_cont = helper.make_tensor_value_info("x_cont", 1, ["n", len(numbers)])
        output = helper.make_tensor_value_info("output", 1, ["n", len(targets)])
        graph = helper.make_graph(self.nodes, "network", [x_cat, x_cont], [output], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)


def onnx_outputs(surrogate: SurrogateNetwork, inputs: dict[str, np.ndarray]) -> np.ndarray:
    """(n, n_targets) what onnxruntime makes of the network."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    model = onnx_model(surrogate).SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)[0].astype(float)
