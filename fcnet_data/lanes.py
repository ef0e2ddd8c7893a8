"""Eight float32 numbers as one value inside numba functions, so that a kernel is written once and runs as vector code.

LLVM maps a value of type `float32x8` onto whatever the processor has (one AVX register, two NEON registers...). Each
operation rounds each lane exactly as IEEE 754 says and none is ever reordered, so a kernel built of them gives the same
bits on every machine. numba's `fastmath` would be as quick and would not.

`array` is always a contiguous one-dimensional float32 array, `index` the position of the first number; neither is
checked.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model

LANES = 8
_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)


class Lanes(types.Type):
    """numba's type of eight float32 numbers."""

    def __init__(self) -> None:
        super().__init__(name="float32x8")


float32x8 = Lanes()


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes_type: Lanes) -> None:
        super().__init__(manager, lanes_type, _VECTOR)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [index])


def _copies(builder: Any, scalar: Any) -> Any:
    empty = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(empty, scalar, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


def _call(builder: Any, name: str, arguments: list[Any]) -> Any:
    signature = ir.FunctionType(_VECTOR, [_VECTOR] * len(arguments))
    return builder.call(cgutils.get_or_insert_function(builder.module, signature, name), arguments)


@intrinsic
def load(typing_context, array, index):
    """Eight numbers array[index : index + 8]."""

    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature.args[0], *arguments)
        return builder.load(builder.bitcast(address, _VECTOR.as_pointer()), align=4, typ=_VECTOR)

    return float32x8(array, types.intp), generate


@intrinsic
def store(typing_context, array, index, value):
    """None; afterwards array[index : index + 8] is `value`."""

    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature.args[0], *arguments[:2])
        builder.store(arguments[2], builder.bitcast(address, _VECTOR.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.none(array, types.intp, float32x8), generate


@intrinsic
def spread(typing_context, array, index):
    """Eight copies of array[index]."""

    def generate(context, builder, signature, arguments):
        address = _address(context, builder, signature.args[0], *arguments)
        return _copies(builder, builder.load(address, align=4, typ=_FLOAT))

    return float32x8(array, types.intp), generate


@intrinsic
def constant(typing_context, number):
    """Eight copies of a float32 number."""

    def generate(context, builder, signature, arguments):
        return _copies(builder, arguments[0])

    return float32x8(types.float32), generate


@intrinsic
def fma(typing_context, a, b, c):
    """a * b + c in each lane, rounded once."""

    def generate(context, builder, signature, arguments):
        return _call(builder, "llvm.fma.v8f32", arguments)

    return float32x8(float32x8, float32x8, float32x8), generate


@intrinsic
def sqrt(typing_context, a):
    """Square root of each lane."""

    def generate(context, builder, signature, arguments):
        return _call(builder, "llvm.sqrt.v8f32", arguments)

    return float32x8(float32x8), generate


def _operation(instruction: str, meaning: str) -> Any:
    def typed(typing_context, a, b):
        def generate(context, builder, signature, arguments):
            return getattr(builder, instruction)(*arguments)

        return float32x8(float32x8, float32x8), generate

    typed.__doc__ = meaning
    return intrinsic(typed)


def _selection(comparison: str, meaning: str) -> Any:
    def typed(typing_context, a, b):
        def generate(context, builder, signature, arguments):
            return builder.select(builder.fcmp_ordered(comparison, arguments[1], arguments[0]), arguments[1], arguments[0])

        return float32x8(float32x8, float32x8), generate

    typed.__doc__ = meaning
    return intrinsic(typed)


add = _operation("fadd", "a + b in each lane.")
subtract = _operation("fsub", "a - b in each lane.")
multiply = _operation("fmul", "a * b in each lane.")
divide = _operation("fdiv", "a / b in each lane.")
minimum = _selection("<", "The smaller of a and b in each lane; a where either is not a number.")
maximum = _selection(">", "The larger of a and b in each lane; a where either is not a number.")


@intrinsic
def is_positive(typing_context, a):
    """1 in each lane where a > 0, else 0."""

    def generate(context, builder, signature, arguments):
        zero, one = (ir.Constant(_VECTOR, [value] * LANES) for value in (0.0, 1.0))
        return builder.select(builder.fcmp_ordered(">", arguments[0], zero), one, zero)

    return float32x8(float32x8), generate
