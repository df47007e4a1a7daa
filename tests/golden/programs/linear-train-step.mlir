// linear: train-step
// element f32
// batch 2
// SoftmaxCrossEntropy(labels=Labels.INDEX, label_smoothing=0.0, class_weights=None, normalization=Normalization.WEIGHT, ignore_index=None, focal_gamma=0.0)
// Sgd(weight_decay=0.0, partition=Partition.KERNELS)
module @linear_train_step {
  func.func public @main(
    %dense1.weight: tensor<4x3xf32> {tf.aliasing_output = 0 : i32},
    %dense1.bias: tensor<3xf32> {tf.aliasing_output = 1 : i32},
    %lr: tensor<f32>,
    %t: tensor<f32>,
    %x: tensor<2x4xf32>,
    %y: tensor<2xi32>
  ) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>) {
    // dense1: Dense(out_features=3, in_features=None, bias=True) [4] -> [3]
    %dense1.xw = stablehlo.dot_general %x, %dense1.weight, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %dense1.broadcast_in_dim = stablehlo.broadcast_in_dim %dense1.bias, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %dense1.y = stablehlo.add %dense1.xw, %dense1.broadcast_in_dim : tensor<2x3xf32>
    // loss: SoftmaxCrossEntropy(labels=Labels.INDEX, label_smoothing=0.0, class_weights=None, normalization=Normalization.WEIGHT, ignore_index=None, focal_gamma=0.0)
    %cminf = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %loss.peak = stablehlo.reduce(%dense1.y init: %cminf) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %loss.broadcast_in_dim = stablehlo.broadcast_in_dim %loss.peak, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %loss.shifted = stablehlo.subtract %dense1.y, %loss.broadcast_in_dim : tensor<2x3xf32>
    %loss.exponential = stablehlo.exponential %loss.shifted : tensor<2x3xf32>
    %c0 = stablehlo.constant dense<0.0> : tensor<f32>
    %loss.reduce = stablehlo.reduce(%loss.exponential init: %c0) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %loss.logsum = stablehlo.log %loss.reduce : tensor<2xf32>
    %loss.broadcast_in_dim_2 = stablehlo.broadcast_in_dim %loss.logsum, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %loss.logp = stablehlo.subtract %loss.shifted, %loss.broadcast_in_dim_2 : tensor<2x3xf32>
    %loss.softmax = stablehlo.exponential %loss.logp : tensor<2x3xf32>
    %loss.classes = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %loss.broadcast_in_dim_3 = stablehlo.broadcast_in_dim %y, dims = [0] : (tensor<2xi32>) -> tensor<2x3xi32>
    %loss.compare = stablehlo.compare EQ, %loss.broadcast_in_dim_3, %loss.classes, SIGNED : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    %loss.onehot = stablehlo.convert %loss.compare : (tensor<2x3xi1>) -> tensor<2x3xf32>
    %loss.mass = stablehlo.reduce(%loss.onehot init: %c0) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %batch = stablehlo.constant dense<2.0> : tensor<f32>
    %loss.multiply = stablehlo.multiply %loss.onehot, %loss.logp : tensor<2x3xf32>
    %loss.reduce_2 = stablehlo.reduce(%loss.multiply init: %c0) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %loss.losses = stablehlo.negate %loss.reduce_2 : tensor<2xf32>
    %loss.total = stablehlo.reduce(%loss.losses init: %c0) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %loss.loss = stablehlo.divide %loss.total, %batch : tensor<f32>
    %loss.broadcast_in_dim_4 = stablehlo.broadcast_in_dim %loss.mass, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %loss.multiply_2 = stablehlo.multiply %loss.softmax, %loss.broadcast_in_dim_4 : tensor<2x3xf32>
    %loss.subtract = stablehlo.subtract %loss.multiply_2, %loss.onehot : tensor<2x3xf32>
    %loss.broadcast_in_dim_5 = stablehlo.broadcast_in_dim %batch, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %loss.dlogits = stablehlo.divide %loss.subtract, %loss.broadcast_in_dim_5 : tensor<2x3xf32>
    %loss.top = stablehlo.compare EQ, %dense1.y, %loss.broadcast_in_dim, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %c3 = stablehlo.constant dense<3> : tensor<2x3xi32>
    %loss.select = stablehlo.select %loss.top, %loss.classes, %c3 : tensor<2x3xi1>, tensor<2x3xi32>
    %c3_2 = stablehlo.constant dense<3> : tensor<i32>
    %loss.lowest = stablehlo.reduce(%loss.select init: %c3_2) applies stablehlo.minimum across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
    %loss.broadcast_in_dim_6 = stablehlo.broadcast_in_dim %loss.lowest, dims = [0] : (tensor<2xi32>) -> tensor<2x3xi32>
    %loss.compare_2 = stablehlo.compare EQ, %loss.classes, %loss.broadcast_in_dim_6, SIGNED : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    %loss.convert = stablehlo.convert %loss.compare_2 : (tensor<2x3xi1>) -> tensor<2x3xf32>
    %loss.multiply_3 = stablehlo.multiply %loss.convert, %loss.onehot : tensor<2x3xf32>
    %loss.correct = stablehlo.reduce(%loss.multiply_3 init: %c0) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    // dense1: Dense(out_features=3, in_features=None, bias=True) [4] -> [3], backward
    %dense1.dweight = stablehlo.dot_general %x, %loss.dlogits, contracting_dims = [0] x [0] : (tensor<2x4xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    %dense1.dbias = stablehlo.reduce(%loss.dlogits init: %c0) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    // update: Sgd(weight_decay=0.0, partition=Partition.KERNELS)
    %dense1.weight.broadcast_in_dim = stablehlo.broadcast_in_dim %lr, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %dense1.weight.multiply = stablehlo.multiply %dense1.dweight, %dense1.weight.broadcast_in_dim : tensor<4x3xf32>
    %dense1.weight.new = stablehlo.subtract %dense1.weight, %dense1.weight.multiply : tensor<4x3xf32>
    %dense1.bias.broadcast_in_dim = stablehlo.broadcast_in_dim %lr, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %dense1.bias.multiply = stablehlo.multiply %dense1.dbias, %dense1.bias.broadcast_in_dim : tensor<3xf32>
    %dense1.bias.new = stablehlo.subtract %dense1.bias, %dense1.bias.multiply : tensor<3xf32>
    return %dense1.weight.new, %dense1.bias.new, %loss.loss, %loss.correct : tensor<4x3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>
  }
}
