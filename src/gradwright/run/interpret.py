"""The StableHLO reference interpreter as a function from bytes to bytes (used by the worker)."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxlib.mlir import ir

from gradwright.hlo.types import ElementType
from gradwright.run import mlir

# Types whose values the bindings cannot read back, and the integer of the same width.
_CARRIERS = {
    ElementType.BF16: ElementType.UI16,
    ElementType.F8E4M3FN: ElementType.UI8,
    ElementType.F8E5M2: ElementType.UI8,
}
_KEPT_MODULES = 8


class Evaluator:
    """Evaluates module texts; the last few parsed modules are kept."""

    def __init__(self) -> None:
        self._context = mlir.make_context()
        self._modules: dict[bytes, ir.Module] = {}

    def run(self, text: str, inputs: Sequence[str], blobs: Sequence[bytes]) -> list[bytes]:
        """Evaluate `main` on row-major inputs of the named types, e.g. `tensor<2x3xf32>`."""
        with self._context, ir.Location.unknown():
            arguments = [_attribute(name, blob) for name, blob in zip(inputs, blobs, strict=True)]
            return [self._bytes(result) for result in self._evaluate(text, arguments)]

    def _evaluate(self, text: str, arguments: Sequence[ir.Attribute]) -> list[Any]:
        reasons: list[str] = []

        def collect(diagnostic: Any) -> bool:
            reasons.append(str(diagnostic.message))
            return True

        handler: Any = self._context.attach_diagnostic_handler(collect)
        try:
            return mlir.stablehlo.eval_module(self._module(text), list(arguments))
        except ValueError as error:
            raise ValueError("\n".join(reasons) or str(error)) from error
        finally:
            handler.detach()

    def _module(self, text: str) -> ir.Module:
        key = hashlib.sha256(text.encode()).digest()
        if key not in self._modules:
            if len(self._modules) == _KEPT_MODULES:
                self._modules.pop(next(iter(self._modules)))
            self._modules[key] = ir.Module.parse(text)
        return self._modules[key]

    def _bytes(self, result: Any) -> bytes:
        tensor = mlir.tensor_type(result.type)
        carrier = _CARRIERS.get(tensor.element)
        if tensor.size == 0:
            return b""
        if carrier is not None:
            returned = tensor.with_element(carrier)
            bits = f"""func.func @main(%x: {tensor}) -> {returned} {{
                %bits = stablehlo.bitcast_convert %x : ({tensor}) -> {returned}
                return %bits : {returned}
            }}"""
            return self._bytes(self._evaluate(bits, [result])[0])
        return np.array(result).tobytes()


def _attribute(name: str, blob: bytes) -> ir.Attribute:
    type_ = ir.RankedTensorType(ir.Type.parse(name))
    tensor = mlir.tensor_type(type_)
    stored = _CARRIERS.get(tensor.element, tensor.element)
    array = np.ndarray(tensor.shape, stored.dtype, buffer=blob)
    return ir.DenseElementsAttr.get(array, type=type_.element_type, shape=list(tensor.shape))
