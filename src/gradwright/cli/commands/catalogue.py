"""`gradwright nets` and `gradwright show`: which nets there are, and what one is made of."""

import math
from collections.abc import Iterator

from gradwright.cli.arguments import AsJson, Classes, NetText, Size
from gradwright.cli.nets import Chosen, net_of
from gradwright.cli.output import write_json, write_line, write_table
from gradwright.spec import NetSpec, Plan


def list_nets() -> list[NetSpec]:
    """Build every net of the zoo."""
    from gradwright.zoo import get, names

    return [get(name) for name in names()]


def nets(*, as_json: AsJson = False) -> None:
    """List the nets that have a name."""
    found = list_nets()
    if as_json:
        write_json({"nets": [_summary(net) for net in found]})
        return
    rows = [
        [net.name, _extents(net.input.shape), _extents(net.output), f"{net.parameter_count:,}"]
        for net in found
    ]
    write_table(["net", "input", "output", ">parameters"], rows)


def artifacts(*, as_json: AsJson = False) -> None:
    """List the programs that have a name.

    `emit artifact:NAME` writes one.
    """
    found = list_artifacts()
    if as_json:
        write_json({"artifacts": found})
        return
    rows = [[str(value) for value in record.values()] for record in found]
    heads = ["artifact", "net", "convention", "optimizer", "precision", ">in", ">out"]
    write_table(heads, rows)


def list_artifacts() -> list[dict[str, object]]:
    """Return what each artifact is; it is emitted for one picture to count its arguments."""
    from gradwright.zoo import ARTIFACTS, artifact

    records: list[dict[str, object]] = []
    for name, found in ARTIFACTS.items():
        program = artifact(name, batch=1)
        rounded = [each.value for each in found.precision.leaves if each.element is not None]
        record: dict[str, object] = {
            "name": name,
            "net": program.net.name,
            "convention": found.abi.kind if found.optimizer is not None else "forward",
            "optimizer": "" if found.optimizer is None else found.optimizer.kind,
            "precision": "+".join(dict.fromkeys(rounded)) or "f32",
            "inputs": len(program.inputs),
            "outputs": len(program.outputs),
        }
        records.append(record)
    return records


def show(
    net: NetText, *, classes: Classes = None, size: Size = "", as_json: AsJson = False
) -> None:
    """Show the layers of a net."""
    spec = net_of(net, Chosen.of(classes, size))
    if as_json:
        layers = [_layer(plan) for plan in spec.walk()]
        write_json({**_summary(spec), "fingerprint": spec.fingerprint, "layers": layers})
        return
    rows = [[plan.path, _extents(plan.output), *_columns(plan)] for plan in spec.walk()]
    write_table(["layer", "output", ">parameters", "settings"], rows)
    statistics = sum(slot.size for slot in spec.statistics)
    write_line(f"{spec.parameter_count:,} parameters, {statistics:,} running statistics")


def _summary(net: NetSpec) -> dict[str, object]:
    return {
        "name": net.name,
        "input": list(net.input.shape),
        "output": list(net.output),
        "parameters": net.parameter_count,
    }


def _layer(plan: Plan) -> dict[str, object]:
    return {
        "path": plan.path,
        "layer": repr(plan.layer),
        "input": list(plan.input),
        "output": list(plan.output),
        "slots": {plan.full(slot.name): list(slot.shape) for slot in plan.slots},
    }


def _columns(plan: Plan) -> Iterator[str]:
    """Yield the number of parameters and the settings of a layer; parts have their own rows."""
    own = sum(math.prod(slot.shape) for slot in plan.slots if slot.trainable)
    yield f"{own:,}" if own else ""
    yield type(plan.layer).__name__ if plan.children else repr(plan.layer)


def _extents(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))
