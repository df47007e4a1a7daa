"""What a bare module text says about itself."""

from dataclasses import dataclass

from gradwright.errors import ParseError, UnsupportedError
from gradwright.hlo.bindings import Mlir, mlir, parse, tensor_type
from gradwright.hlo.signature import Port, Role, Signature
from gradwright.hlo.types import ElementType, TensorType

_ALIAS = "tf.aliasing_output"


@dataclass(frozen=True, slots=True)
class Main:
    """Name of a module, the text with its entry point as `main`, and the signature of that."""

    name: str
    text: str
    signature: Signature


def read_main(text: str) -> Main:
    """Parse and verify a module and return what it is.

    The entry point is the function `main`; a module's only function is its entry point whatever
    its name, and is called `main` in the text that is returned, since backends look for that.

    Inputs are named arg0, arg1, …, outputs out0, out1, …. An argument that the text aliases to a
    result (`tf.aliasing_output`) is state: both get the role of a parameter and its name.

    Errors: ParseError where the text is not valid or has no function `main`; UnsupportedError for
    anything but static tensors.
    """
    module = parse(text)
    functions = {
        op.name.value: op for op in module.body.operations if op.operation.name == "func.func"
    }
    if "main" not in functions and len(functions) != 1:
        names = ", ".join(f"@{name}" for name in functions)
        raise ParseError(where="module", expected="a function @main", found=names or "no function")
    attributes = module.operation.attributes
    name = str(attributes["sym_name"].value) if "sym_name" in attributes else "main"
    if "main" in functions:
        return Main(name, text, _signature(functions["main"]))
    [function] = functions.values()
    with module.context:
        function.attributes["sym_name"] = mlir().ir.StringAttr.get("main")
    return Main(name, str(module), _signature(function))


def without_aliases(text: str) -> str:
    """Return the same module with no `tf.aliasing_output` on the arguments of any function."""
    module = parse(text)
    ir = mlir().ir
    with module.context:
        for function in module.body.operations:
            if "arg_attrs" not in function.attributes:
                continue
            kept = [_without_alias(attributes) for attributes in function.arg_attrs]
            function.attributes["arg_attrs"] = ir.ArrayAttr.get(kept)
    return str(module)


def _without_alias(attributes: Mlir) -> Mlir:
    kept = {named.name: named.attr for named in attributes if named.name != _ALIAS}
    return mlir().ir.DictAttr.get(kept)


def _signature(function: Mlir) -> Signature:
    types = function.type
    aliases = _aliases(function)
    inputs = [
        Port(f"arg{i}", Role.PARAMETER if i in aliases else Role.DATA, _tensor(type_))
        for i, type_ in enumerate(types.inputs)
    ]
    sources = {target: source for source, target in aliases.items()}
    outputs = [
        Port(f"arg{sources[j]}", Role.PARAMETER, _tensor(type_))
        if j in sources
        else Port(f"out{j}", Role.OUTPUT, _tensor(type_))
        for j, type_ in enumerate(types.results)
    ]
    return Signature(tuple(inputs), tuple(outputs))


def _aliases(function: Mlir) -> dict[int, int]:
    """Return argument index to result index of the state that the text marks."""
    if "arg_attrs" not in function.attributes:
        return {}
    return {
        index: int(attributes[_ALIAS].value)
        for index, attributes in enumerate(function.arg_attrs)
        if _ALIAS in attributes
    }


def _tensor(type_: Mlir) -> TensorType:
    known = tensor_type(type_)
    if known is None:
        raise UnsupportedError(
            where="signature of @main",
            expected=f"tensors of static shape with elements {', '.join(ElementType)}",
            found=str(type_),
        )
    return known
