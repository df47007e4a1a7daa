// masked: vjp
// element f64
// batch 2
module @masked_vjp {
  func.func public @main(
    %dense1.weight: tensor<5x4xf64>,
    %dense1.bias: tensor<4xf64>,
    %bn1.weight: tensor<4xf64>,
    %bn1.bias: tensor<4xf64>,
    %top.weight: tensor<4x3xf64>,
    %top.bias: tensor<3xf64>,
    %x: tensor<2x5xf64>,
    %drop1.mask: tensor<2x4xf64>,
    %dy: tensor<2x3xf64>
  ) -> (tensor<5x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x3xf64>, tensor<3xf64>, tensor<2x5xf64>) {
    // dense1: Dense(out_features=4, in_features=None, bias=True) [5] -> [4]
    %dense1.xw = stablehlo.dot_general %x, %dense1.weight, contracting_dims = [1] x [0] : (tensor<2x5xf64>, tensor<5x4xf64>) -> tensor<2x4xf64>
    %dense1.broadcast_in_dim = stablehlo.broadcast_in_dim %dense1.bias, dims = [1] : (tensor<4xf64>) -> tensor<2x4xf64>
    %dense1.y = stablehlo.add %dense1.xw, %dense1.broadcast_in_dim : tensor<2x4xf64>
    // bn1: BatchNorm(epsilon=1e-05, decay=0.9, running_variance=RunningVariance.UNBIASED) [4] -> [4]
    %c0 = stablehlo.constant dense<0.0> : tensor<f64>
    %bn1.total = stablehlo.reduce(%dense1.y init: %c0) applies stablehlo.add across dimensions = [0] : (tensor<2x4xf64>, tensor<f64>) -> tensor<4xf64>
    %c2 = stablehlo.constant dense<2.0> : tensor<4xf64>
    %bn1.mean = stablehlo.divide %bn1.total, %c2 : tensor<4xf64>
    %bn1.broadcast_in_dim = stablehlo.broadcast_in_dim %bn1.mean, dims = [1] : (tensor<4xf64>) -> tensor<2x4xf64>
    %bn1.centred = stablehlo.subtract %dense1.y, %bn1.broadcast_in_dim : tensor<2x4xf64>
    %bn1.multiply = stablehlo.multiply %bn1.centred, %bn1.centred : tensor<2x4xf64>
    %bn1.squares = stablehlo.reduce(%bn1.multiply init: %c0) applies stablehlo.add across dimensions = [0] : (tensor<2x4xf64>, tensor<f64>) -> tensor<4xf64>
    %bn1.var = stablehlo.divide %bn1.squares, %c2 : tensor<4xf64>
    %c1em05 = stablehlo.constant dense<1.0e-5> : tensor<4xf64>
    %bn1.add_3 = stablehlo.add %bn1.var, %c1em05 : tensor<4xf64>
    %bn1.istd = stablehlo.rsqrt %bn1.add_3 : tensor<4xf64>
    %bn1.broadcast_in_dim_2 = stablehlo.broadcast_in_dim %bn1.istd, dims = [1] : (tensor<4xf64>) -> tensor<2x4xf64>
    %bn1.xhat = stablehlo.multiply %bn1.centred, %bn1.broadcast_in_dim_2 : tensor<2x4xf64>
    %bn1.broadcast_in_dim_3 = stablehlo.broadcast_in_dim %bn1.weight, dims = [1] : (tensor<4xf64>) -> tensor<2x4xf64>
    %bn1.multiply_2 = stablehlo.multiply %bn1.xhat, %bn1.broadcast_in_dim_3 : tensor<2x4xf64>
    %bn1.broadcast_in_dim_4 = stablehlo.broadcast_in_dim %bn1.bias, dims = [1] : (tensor<4xf64>) -> tensor<2x4xf64>
    %bn1.y = stablehlo.add %bn1.multiply_2, %bn1.broadcast_in_dim_4 : tensor<2x4xf64>
    // act1: Activation(function=Function.TANH) [4] -> [4]
    %act1.y = stablehlo.tanh %bn1.y : tensor<2x4xf64>
    // drop1: Dropout(rate=0.25) [4] -> [4]
    %drop1.y = stablehlo.multiply %act1.y, %drop1.mask : tensor<2x4xf64>
    // top: Dense(out_features=3, in_features=None, bias=True) [4] -> [3], backward
    %top.dx = stablehlo.dot_general %dy, %top.weight, contracting_dims = [1] x [1] : (tensor<2x3xf64>, tensor<4x3xf64>) -> tensor<2x4xf64>
    %top.dweight = stablehlo.dot_general %drop1.y, %dy, contracting_dims = [0] x [0] : (tensor<2x4xf64>, tensor<2x3xf64>) -> tensor<4x3xf64>
    %top.dbias = stablehlo.reduce(%dy init: %c0) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf64>, tensor<f64>) -> tensor<3xf64>
    // drop1: Dropout(rate=0.25) [4] -> [4], backward
    %drop1.dx = stablehlo.multiply %top.dx, %drop1.mask : tensor<2x4xf64>
    // act1: Activation(function=Function.TANH) [4] -> [4], backward
    %act1.multiply = stablehlo.multiply %act1.y, %act1.y : tensor<2x4xf64>
    %c1 = stablehlo.constant dense<1.0> : tensor<2x4xf64>
    %act1.subtract = stablehlo.subtract %c1, %act1.multiply : tensor<2x4xf64>
    %act1.dx = stablehlo.multiply %drop1.dx, %act1.subtract : tensor<2x4xf64>
    // bn1: BatchNorm(epsilon=1e-05, decay=0.9, running_variance=RunningVariance.UNBIASED) [4] -> [4], backward
    %bn1.dbias = stablehlo.reduce(%act1.dx init: %c0) applies stablehlo.add across dimensions = [0] : (tensor<2x4xf64>, tensor<f64>) -> tensor<4xf64>
    %bn1.multiply_3 = stablehlo.multiply %act1.dx, %bn1.xhat : tensor<2x4xf64>
    %bn1.dweight = stablehlo.reduce(%bn1.multiply_3 init: %c0) applies stablehlo.add across dimensions = [0] : (tensor<2x4xf64>, tensor<f64>) -> tensor<4xf64>
    %bn1.scale = stablehlo.multiply %bn1.weight, %bn1.istd : tensor<4xf64>
    %bn1.divide = stablehlo.divide %bn1.dweight, %c2 : tensor<4xf64>
    %bn1.broadcast_in_dim_5 = stablehlo.broadcast_in_dim %bn1.divide, dims = [1] : (tensor<4xf64>) -> tensor<2x4xf64>
    %bn1.multiply_4 = stablehlo.multiply %bn1.xhat, %bn1.broadcast_in_dim_5 : tensor<2x4xf64>
    %bn1.divide_2 = stablehlo.divide %bn1.dbias, %c2 : tensor<4xf64>
    %bn1.broadcast_in_dim_6 = stablehlo.broadcast_in_dim %bn1.divide_2, dims = [1] : (tensor<4xf64>) -> tensor<2x4xf64>
    %bn1.subtract = stablehlo.subtract %act1.dx, %bn1.broadcast_in_dim_6 : tensor<2x4xf64>
    %bn1.subtract_2 = stablehlo.subtract %bn1.subtract, %bn1.multiply_4 : tensor<2x4xf64>
    %bn1.broadcast_in_dim_7 = stablehlo.broadcast_in_dim %bn1.scale, dims = [1] : (tensor<4xf64>) -> tensor<2x4xf64>
    %bn1.dx = stablehlo.multiply %bn1.subtract_2, %bn1.broadcast_in_dim_7 : tensor<2x4xf64>
    // dense1: Dense(out_features=4, in_features=None, bias=True) [5] -> [4], backward
    %dense1.dx = stablehlo.dot_general %bn1.dx, %dense1.weight, contracting_dims = [1] x [1] : (tensor<2x4xf64>, tensor<5x4xf64>) -> tensor<2x5xf64>
    %dense1.dweight = stablehlo.dot_general %x, %bn1.dx, contracting_dims = [0] x [0] : (tensor<2x5xf64>, tensor<2x4xf64>) -> tensor<5x4xf64>
    %dense1.dbias = stablehlo.reduce(%bn1.dx init: %c0) applies stablehlo.add across dimensions = [0] : (tensor<2x4xf64>, tensor<f64>) -> tensor<4xf64>
    return %dense1.dweight, %dense1.dbias, %bn1.dweight, %bn1.dbias, %top.dweight, %top.dbias, %dense1.dx : tensor<5x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x3xf64>, tensor<3xf64>, tensor<2x5xf64>
  }
}
