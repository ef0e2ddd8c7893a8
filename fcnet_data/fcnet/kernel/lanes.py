"""Eight float32 numbers as one value inside numba functions, so that a kernel is written once and runs as vector code.

LLVM maps a value of type `float32x8` to the processor's registers (one AVX register, two NEON registers...). Each
operation rounds each lane exactly as IEEE 754 specifies and none is ever reordered, so a kernel built of them gives the
same bits on every machine. numba's `fastmath` would be as fast but would not give the same bits.

`array` is always a contiguous one-dimensional float32 array, `index` the position of the first number; neither is
checked. Functions named `generate` write LLVM's instructions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model

LANES = 8
_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)
_intrinsic: Any = intrinsic  # numba's type hints count the typing context among a call's arguments


class Lanes(types.Type):
    """numba's type of eight float32 numbers."""

    def __init__(self) -> None:
        super().__init__(name="float32x8")


float32x8: Any = Lanes()


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes_type: Lanes) -> None:
        super().__init__(manager, lanes_type, _VECTOR)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [index])


def _mixed(builder: Any, a: Any, b: Any, lanes: list[int]) -> Any:
    """Vector made of lanes of a (0..7) and b (8..15)."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), LANES), lanes))


def _copies(builder: Any, scalar: Any) -> Any:
    empty = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(empty, scalar, ir.Constant(ir.IntType(32), 0))
    return _mixed(builder, first, empty, [0] * LANES)


def _call(builder: Any, name: str, arguments: list[Any]) -> Any:
    signature = ir.FunctionType(_VECTOR, [_VECTOR] * len(arguments))
    return builder.call(cgutils.get_or_insert_function(builder.module, signature, name), arguments)


@_intrinsic
def load(typing_context: Any, array: Any, index: Any) -> Any:
    """Eight numbers array[index : index + 8]."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature.args[0], *arguments)
        return builder.load(builder.bitcast(address, _VECTOR.as_pointer()), align=4, typ=_VECTOR)

    return float32x8(array, types.intp), generate


@_intrinsic
def store(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Write `value` to array[index : index + 8]."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature.args[0], *arguments[:2])
        builder.store(arguments[2], builder.bitcast(address, _VECTOR.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.none(array, types.intp, float32x8), generate


@_intrinsic
def broadcast(typing_context: Any, array: Any, index: Any) -> Any:
    """Eight copies of array[index]."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature.args[0], *arguments)
        return _copies(builder, builder.load(address, align=4, typ=_FLOAT))

    return float32x8(array, types.intp), generate


@_intrinsic
def transpose(typing_context: Any, array: Any, source: Any, target: Any) -> Any:
    """Write the transpose of the 8 x 8 numbers at index `source` to index `target`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first, last = (_address(context, builder, signature.args[0], arguments[0], start) for start in arguments[1:])
        offsets = [ir.Constant(ir.IntType(64), LANES * row) for row in range(LANES)]
        pointer = _VECTOR.as_pointer()
        sources = [builder.bitcast(builder.gep(first, [offset]), pointer) for offset in offsets]
        rows = [builder.load(address, align=4, typ=_VECTOR) for address in sources]
        for size in (1, 2, 4):  # exchange the off-diagonal blocks of this size in each block of twice the size
            for row in (row for row in range(LANES) if not row & size):
                upper, lower = rows[row], rows[row + size]
                rows[row] = _mixed(builder, upper, lower, [k if not k & size else k - size + 8 for k in range(LANES)])
                rows[row + size] = _mixed(
                    builder, upper, lower, [k + size if not k & size else k + 8 for k in range(LANES)]
                )
        for row, offset in zip(rows, offsets, strict=True):
            builder.store(row, builder.bitcast(builder.gep(last, [offset]), pointer), align=4)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.intp), generate


@_intrinsic
def constant(typing_context: Any, number: Any) -> Any:
    """Eight copies of a float32 number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _copies(builder, arguments[0])

    return float32x8(types.float32), generate


@_intrinsic
def fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c in each lane, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _call(builder, "llvm.fma.v8f32", arguments)

    return float32x8(float32x8, float32x8, float32x8), generate


@_intrinsic
def sqrt(typing_context: Any, a: Any) -> Any:
    """Square root of each lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _call(builder, "llvm.sqrt.v8f32", arguments)

    return float32x8(float32x8), generate


@_intrinsic
def is_positive(typing_context: Any, a: Any) -> Any:
    """1 in each lane where a > 0, else 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zero, one = (ir.Constant(_VECTOR, [value] * LANES) for value in (0.0, 1.0))
        return builder.select(builder.fcmp_ordered(">", arguments[0], zero), one, zero)

    return float32x8(float32x8), generate


def _of_two(meaning: str, instructions: Callable[[Any, Any, Any], Any]) -> Any:
    def operation(typing_context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return instructions(builder, *arguments)

        return float32x8(float32x8, float32x8), generate

    operation.__doc__ = meaning
    return _intrinsic(operation)


add = _of_two("a + b in each lane.", lambda builder, a, b: builder.fadd(a, b))
subtract = _of_two("a - b in each lane.", lambda builder, a, b: builder.fsub(a, b))
multiply = _of_two("a * b in each lane.", lambda builder, a, b: builder.fmul(a, b))
divide = _of_two("a / b in each lane.", lambda builder, a, b: builder.fdiv(a, b))
minimum = _of_two(
    "The smaller of a and b in each lane; a where either is not a number.",
    lambda builder, a, b: builder.select(builder.fcmp_ordered("<", b, a), b, a),
)
maximum = _of_two(
    "The larger of a and b in each lane; a where either is not a number.",
    lambda builder, a, b: builder.select(builder.fcmp_ordered(">", b, a), b, a),
)
