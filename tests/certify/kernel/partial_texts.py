"""Texts that ask whether a function is finite at each index, and return an argument where it is."""

TEXT = """func.func @main(%x: tensor<5xf32>, %u: tensor<5xf32>) -> tensor<5xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<5xf32>
  %k = stablehlo.constant dense<{number}> : tensor<5xf32>
  %c = stablehlo.constant dense<[{first}, 1.0, 2.0, 3.0, 5.0]> : tensor<5xf32>
  %e = stablehlo.exponential %x : tensor<5xf32>
  %z = stablehlo.constant dense<0.0> : tensor<5x5xf32>
  %start = stablehlo.constant dense<{start}> : tensor<5x5xi32>
  {making}
  %q = {function}
  %f = stablehlo.is_finite %q : (tensor<5xf32>) -> tensor<5xi1>
  %r = stablehlo.select %f, %u, %one : tensor<5xi1>, tensor<5xf32>
  return %r : tensor<5xf32>
}}
"""
SUMMED = """%i = stablehlo.iota dim = 0 : tensor<5x5xi32>
  %t = stablehlo.add %i, %start : tensor<5x5xi32>
  %j = stablehlo.iota dim = 1 : tensor<5x5xi32>
  %m = stablehlo.compare LT, %j, %t, SIGNED : (tensor<5x5xi32>, tensor<5x5xi32>) -> tensor<5x5xi1>
  %b = stablehlo.broadcast_in_dim %e, dims = [1] : (tensor<5xf32>) -> tensor<5x5xf32>
  %w = stablehlo.select %m, %b, %z : tensor<5x5xi1>, tensor<5x5xf32>
  %s = stablehlo.reduce(%w init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<5x5xf32>, tensor<f32>) -> tensor<5xf32>"""
"""The sum %s of the exponentials of as many entries as the index says, and of %start more."""


def applied(how: str) -> str:
    """Return an operation on vectors of five floats."""
    return f"stablehlo.{how} : tensor<5xf32>"


def made(how: str) -> str:
    """Return the operation that makes %s."""
    return f"%s = {applied(how)}"


FUNCTIONS = {
    "divide": applied("divide %one, %s"),
    "log": applied("log %s"),
    "rsqrt": applied("rsqrt %s"),
}


def text_of(making: str, function: str, first: float = 1, start: int = 1, number: float = 1) -> str:
    """Return a text that reads whether a function of %s is finite."""
    return TEXT.format(
        making=making, function=function, first=float(first), start=start, number=float(number)
    )


HONEST = text_of("", applied("add %x, %u"))
