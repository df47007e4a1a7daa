"""What a step of a net has to do: the floating-point operations of its products."""

from math import prod

from gradwright import layers, losses, optim, programs
from gradwright.hlo import Operation, read_module
from gradwright.hlo import attributes as attr

from . import nets


def step_of(name: str, batch: int, forms: layers.Formulation) -> programs.Program:
    """Return the step that races, in some forms."""
    loss, rule = losses.SoftmaxCrossEntropy(), optim.Adam()
    net = nets.get(name)
    return programs.train_step(net, batch=batch, loss=loss, optimizer=rule, formulation=forms)


def floating_point_operations(name: str, batch: int) -> float:
    """Return those of the products of a step, two for each multiply-add.

    Counted in the textbook text, without zeros between strided inputs.
    """
    text = step_of(name, batch, layers.TEXTBOOK).text
    return sum(map(_work, read_module(text).main.body.walk()))


def _work(operation: Operation) -> float:
    """Return the floating-point operations of a product, 0 of anything else."""
    result = prod(operation.results[0].shape)
    match operation.attributes:
        case attr.DotGeneral() as dot:
            shape = operation.operands[0].shape
            return 2.0 * result * prod(shape[d] for d in dot.lhs_contracting)
        case attr.Convolution() as found:
            kernel = operation.operands[1].shape
            read = prod(
                kernel[d] for d in (*found.dims.kernel_spatial, found.dims.kernel_input_feature)
            )
            return 2.0 * result * read / prod(found.lhs_dilation)
        case _:
            return 0.0
