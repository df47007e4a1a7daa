"""Ways through a text: what results come from, and what lies between two values."""

from gradwright.certify.flow import Flow
from gradwright.hlo import Block, Builder, TensorType

VECTOR = TensorType((3,))


def chain() -> tuple[Block, Flow]:
    """Return a = x + y, b = 2 a, c = b y, d = -x with results c and d."""
    b = Builder()
    x, y = b.argument("x", VECTOR), b.argument("y", VECTOR)
    total = b.add(x, y)
    twice = b.add(total, total)
    body = b.finish("main", [b.multiply(twice, y), b.negate(x)]).body
    return body, Flow.of(body)


def test_the_last_operations_come_first() -> None:
    body, flow = chain()
    names = [operation.opcode for operation in flow.upwards(body.results)]
    assert names == [f"stablehlo.{name}" for name in ("negate", "multiply", "add", "add")]
    assert [op.opcode for op in flow.upwards(body.results[1:])] == ["stablehlo.negate"]


def test_what_lies_between_leaves_out_other_ways() -> None:
    body, flow = chain()
    total = body.operations[0].results[0]
    between = flow.between(total, body.results)
    assert between == list(body.operations[1:3])
    assert flow.between(total, body.results[1:]) == []
    assert flow.between(body.results[0], body.results) == []
