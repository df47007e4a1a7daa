"""Normalisation of each channel of each example over its positions: what batch norm becomes there.

Shapes: x, y: [B, C, H, W]; weight, bias: [C]; statistics: [B, C].
Math: mu, var over H, W (var biased, two passes); istd = 1 / sqrt(var + epsilon);
xhat = (x - mu) istd; y = weight xhat + bias. With means over H, W:
dx = weight istd (dy - mean(dy) - xhat mean(dy xhat)); dweight = sum dy xhat; dbias = sum dy, over
all but C. Domain: var + epsilon > 0. Source: Ulyanov et al. 2016, "Instance Normalization".
"""

from gradwright.errors import SpecError
from gradwright.hlo import Value
from gradwright.layers.walk import Walk
from gradwright.spec import Plan


def write(walk: Walk, plan: Plan, x: Value, epsilon: float) -> Value:
    """Write y and record dx, dweight, dbias; SpecError where an example has no positions."""
    if x.type.rank != 4:
        raise SpecError(
            where=plan.path,
            expected="pictures, so that an example has values to take statistics over",
            found=f"shape {list(plan.input)}",
            remedy="Normalise over the batch",
        )
    b, positions = walk.b, walk.formulation.layout.spatial
    count = plan.input[1] * plan.input[2]
    total = b.sum(x, positions, hint="total")
    mean = b.divide(total, b.splat_like(count, total), hint="mean")
    centred = b.subtract(x, _spread(walk, mean, x), hint="centred")
    squares = b.sum(centred * centred, positions, hint="squares")
    variance = b.divide(squares, b.splat_like(count, squares), hint="var")
    istd = b.rsqrt(variance + epsilon, hint="istd")
    xhat = b.multiply(centred, _spread(walk, istd, x), hint="xhat")
    weight, bias = walk.slot(plan, "weight"), walk.slot(plan, "bias")
    y = b.add(xhat * walk.per_channel(weight, x), walk.per_channel(bias, x), hint="y")

    def pullback(dy: Value) -> tuple[Value, Value, Value]:
        shifts = b.sum(dy, positions, hint="dshift")
        scales = b.sum(dy * xhat, positions, hint="dscale")
        factor = b.multiply(walk.per_channel(weight, istd), istd, hint="factor")
        inner = dy - _spread(walk, shifts / count, x) - xhat * _spread(walk, scales / count, x)
        dx = b.multiply(inner, _spread(walk, factor, x), hint="dx")
        return dx, b.sum(scales, (0,), hint="dweight"), b.sum(shifts, (0,), hint="dbias")

    return walk.record(plan, (x, weight, bias), y, pullback)


def meaning(epsilon: float) -> str:
    """Return the index notation."""
    return (
        "mu[n,c] = mean(p,q) x[n,c,p,q]; "
        "var[n,c] = mean(p,q) (x[n,c,p,q] - mu[n,c])^2; "
        "y[n,c,i,j] = weight[c] * (x[n,c,i,j] - mu[n,c])"
        f" / sqrt(var[n,c] + {epsilon!r}) + bias[c]"
    )


def _spread(walk: Walk, statistic: Value, like: Value) -> Value:
    """Return a number per example and channel, repeated over the positions."""
    return walk.b.broadcast(statistic, like.shape, (0, walk.formulation.layout.channel))
