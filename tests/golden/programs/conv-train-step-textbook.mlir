// conv: train-step
// element f32
// batch 2
// SoftmaxCrossEntropy(labels=Labels.INDEX, label_smoothing=0.1, class_weights=None, normalization=Normalization.WEIGHT, ignore_index=None, focal_gamma=0.0)
// AdamW(beta1=0.9, beta2=0.999, epsilon=1e-08, placement=EpsilonPlacement.OUTSIDE_CORRECTED_ROOT, weight_decay=0.01, decay_scale=DecayScale.LEARNING_RATE, partition=Partition.KERNELS)
module @conv_train_step {
  func.func public @main(
    %convbn1.conv.weight: tensor<2x1x3x3xf32> {tf.aliasing_output = 0 : i32},
    %convbn1.bn.weight: tensor<2xf32> {tf.aliasing_output = 1 : i32},
    %convbn1.bn.bias: tensor<2xf32> {tf.aliasing_output = 2 : i32},
    %dense1.weight: tensor<18x3xf32> {tf.aliasing_output = 3 : i32},
    %dense1.bias: tensor<3xf32> {tf.aliasing_output = 4 : i32},
    %convbn1.conv.weight.m: tensor<2x1x3x3xf32> {tf.aliasing_output = 5 : i32},
    %convbn1.bn.weight.m: tensor<2xf32> {tf.aliasing_output = 6 : i32},
    %convbn1.bn.bias.m: tensor<2xf32> {tf.aliasing_output = 7 : i32},
    %dense1.weight.m: tensor<18x3xf32> {tf.aliasing_output = 8 : i32},
    %dense1.bias.m: tensor<3xf32> {tf.aliasing_output = 9 : i32},
    %convbn1.conv.weight.v: tensor<2x1x3x3xf32> {tf.aliasing_output = 10 : i32},
    %convbn1.bn.weight.v: tensor<2xf32> {tf.aliasing_output = 11 : i32},
    %convbn1.bn.bias.v: tensor<2xf32> {tf.aliasing_output = 12 : i32},
    %dense1.weight.v: tensor<18x3xf32> {tf.aliasing_output = 13 : i32},
    %dense1.bias.v: tensor<3xf32> {tf.aliasing_output = 14 : i32},
    %convbn1.bn.running_mean: tensor<2xf32> {tf.aliasing_output = 15 : i32},
    %convbn1.bn.running_var: tensor<2xf32> {tf.aliasing_output = 16 : i32},
    %lr: tensor<f32>,
    %t: tensor<f32>,
    %x: tensor<2x1x6x6xf32>,
    %y: tensor<2xi32>
  ) -> (tensor<2x1x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<18x3xf32>, tensor<3xf32>, tensor<2x1x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<18x3xf32>, tensor<3xf32>, tensor<2x1x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<18x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>) {
    // convbn1.conv: Conv2d(out_channels=2, kernel=3, strides=1, padding=Padding.SYMMETRIC, dilation=1, groups=1, bias=False, in_channels=None) [1, 6, 6] -> [2, 6, 6]
    %convbn1.conv.xw = stablehlo.convolution(%x, %convbn1.conv.weight) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x1x6x6xf32>, tensor<2x1x3x3xf32>) -> tensor<2x2x6x6xf32>
    // convbn1.bn: BatchNorm(epsilon=1e-05, decay=0.9, running_variance=RunningVariance.UNBIASED) [2, 6, 6] -> [2, 6, 6]
    %c0 = stablehlo.constant dense<0.0> : tensor<f32>
    %convbn1.bn.total = stablehlo.reduce(%convbn1.conv.xw init: %c0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2xf32>
    %c72 = stablehlo.constant dense<72.0> : tensor<2xf32>
    %convbn1.bn.mean = stablehlo.divide %convbn1.bn.total, %c72 : tensor<2xf32>
    %convbn1.bn.broadcast_in_dim = stablehlo.broadcast_in_dim %convbn1.bn.mean, dims = [1] : (tensor<2xf32>) -> tensor<2x2x6x6xf32>
    %convbn1.bn.centred = stablehlo.subtract %convbn1.conv.xw, %convbn1.bn.broadcast_in_dim : tensor<2x2x6x6xf32>
    %convbn1.bn.multiply = stablehlo.multiply %convbn1.bn.centred, %convbn1.bn.centred : tensor<2x2x6x6xf32>
    %convbn1.bn.squares = stablehlo.reduce(%convbn1.bn.multiply init: %c0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2xf32>
    %convbn1.bn.var = stablehlo.divide %convbn1.bn.squares, %c72 : tensor<2xf32>
    %c71 = stablehlo.constant dense<71.0> : tensor<2xf32>
    %convbn1.bn.divide = stablehlo.divide %convbn1.bn.squares, %c71 : tensor<2xf32>
    %c0.9 = stablehlo.constant dense<0.9> : tensor<2xf32>
    %convbn1.bn.multiply_2 = stablehlo.multiply %convbn1.bn.running_mean, %c0.9 : tensor<2xf32>
    %c0.1 = stablehlo.constant dense<0.1> : tensor<2xf32>
    %convbn1.bn.multiply_3 = stablehlo.multiply %convbn1.bn.mean, %c0.1 : tensor<2xf32>
    %convbn1.bn.new_running_mean = stablehlo.add %convbn1.bn.multiply_2, %convbn1.bn.multiply_3 : tensor<2xf32>
    %convbn1.bn.multiply_4 = stablehlo.multiply %convbn1.bn.running_var, %c0.9 : tensor<2xf32>
    %convbn1.bn.multiply_5 = stablehlo.multiply %convbn1.bn.divide, %c0.1 : tensor<2xf32>
    %convbn1.bn.new_running_var = stablehlo.add %convbn1.bn.multiply_4, %convbn1.bn.multiply_5 : tensor<2xf32>
    %c1em05 = stablehlo.constant dense<1.0e-5> : tensor<2xf32>
    %convbn1.bn.add_3 = stablehlo.add %convbn1.bn.var, %c1em05 : tensor<2xf32>
    %convbn1.bn.istd = stablehlo.rsqrt %convbn1.bn.add_3 : tensor<2xf32>
    %convbn1.bn.broadcast_in_dim_2 = stablehlo.broadcast_in_dim %convbn1.bn.istd, dims = [1] : (tensor<2xf32>) -> tensor<2x2x6x6xf32>
    %convbn1.bn.xhat = stablehlo.multiply %convbn1.bn.centred, %convbn1.bn.broadcast_in_dim_2 : tensor<2x2x6x6xf32>
    %convbn1.bn.broadcast_in_dim_3 = stablehlo.broadcast_in_dim %convbn1.bn.weight, dims = [1] : (tensor<2xf32>) -> tensor<2x2x6x6xf32>
    %convbn1.bn.multiply_6 = stablehlo.multiply %convbn1.bn.xhat, %convbn1.bn.broadcast_in_dim_3 : tensor<2x2x6x6xf32>
    %convbn1.bn.broadcast_in_dim_4 = stablehlo.broadcast_in_dim %convbn1.bn.bias, dims = [1] : (tensor<2xf32>) -> tensor<2x2x6x6xf32>
    %convbn1.bn.y = stablehlo.add %convbn1.bn.multiply_6, %convbn1.bn.broadcast_in_dim_4 : tensor<2x2x6x6xf32>
    // convbn1.act: Activation(function=Function.RELU) [2, 6, 6] -> [2, 6, 6]
    %c0_2 = stablehlo.constant dense<0.0> : tensor<2x2x6x6xf32>
    %convbn1.act.y = stablehlo.maximum %convbn1.bn.y, %c0_2 : tensor<2x2x6x6xf32>
    // maxpool1: MaxPool(kernel=2, strides=None, padding=Padding.VALID) [2, 6, 6] -> [2, 3, 3]
    %cminf = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %maxpool1.y = "stablehlo.reduce_window"(%convbn1.act.y, %cminf) <{window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>}> ({
    ^bb0(%maxpool1.lhs: tensor<f32>, %maxpool1.rhs: tensor<f32>):
      %maxpool1.maximum = stablehlo.maximum %maxpool1.lhs, %maxpool1.rhs : tensor<f32>
      stablehlo.return %maxpool1.maximum : tensor<f32>
    }) : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2x2x3x3xf32>
    // flatten1: Flatten() [2, 3, 3] -> [18]
    %flatten1.y = stablehlo.reshape %maxpool1.y : (tensor<2x2x3x3xf32>) -> tensor<2x18xf32>
    // dense1: Dense(out_features=3, in_features=None, bias=True) [18] -> [3]
    %dense1.xw = stablehlo.dot_general %flatten1.y, %dense1.weight, contracting_dims = [1] x [0] : (tensor<2x18xf32>, tensor<18x3xf32>) -> tensor<2x3xf32>
    %dense1.broadcast_in_dim = stablehlo.broadcast_in_dim %dense1.bias, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %dense1.y = stablehlo.add %dense1.xw, %dense1.broadcast_in_dim : tensor<2x3xf32>
    // loss: SoftmaxCrossEntropy(labels=Labels.INDEX, label_smoothing=0.1, class_weights=None, normalization=Normalization.WEIGHT, ignore_index=None, focal_gamma=0.0)
    %loss.peak = stablehlo.reduce(%dense1.y init: %cminf) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %loss.broadcast_in_dim = stablehlo.broadcast_in_dim %loss.peak, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %loss.shifted = stablehlo.subtract %dense1.y, %loss.broadcast_in_dim : tensor<2x3xf32>
    %loss.exponential = stablehlo.exponential %loss.shifted : tensor<2x3xf32>
    %loss.reduce = stablehlo.reduce(%loss.exponential init: %c0) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %loss.logsum = stablehlo.log %loss.reduce : tensor<2xf32>
    %loss.broadcast_in_dim_2 = stablehlo.broadcast_in_dim %loss.logsum, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %loss.logp = stablehlo.subtract %loss.shifted, %loss.broadcast_in_dim_2 : tensor<2x3xf32>
    %loss.softmax = stablehlo.exponential %loss.logp : tensor<2x3xf32>
    %loss.classes = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %loss.broadcast_in_dim_3 = stablehlo.broadcast_in_dim %y, dims = [0] : (tensor<2xi32>) -> tensor<2x3xi32>
    %loss.compare = stablehlo.compare EQ, %loss.broadcast_in_dim_3, %loss.classes, SIGNED : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    %loss.onehot = stablehlo.convert %loss.compare : (tensor<2x3xi1>) -> tensor<2x3xf32>
    %c0.9_2 = stablehlo.constant dense<0.9> : tensor<2x3xf32>
    %loss.multiply = stablehlo.multiply %loss.onehot, %c0.9_2 : tensor<2x3xf32>
    %c0.0333333 = stablehlo.constant dense<0.033333335> : tensor<2x3xf32>
    %loss.target = stablehlo.add %loss.multiply, %c0.0333333 : tensor<2x3xf32>
    %loss.mass = stablehlo.reduce(%loss.target init: %c0) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %batch = stablehlo.constant dense<2.0> : tensor<f32>
    %loss.multiply_2 = stablehlo.multiply %loss.target, %loss.logp : tensor<2x3xf32>
    %loss.reduce_2 = stablehlo.reduce(%loss.multiply_2 init: %c0) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %loss.losses = stablehlo.negate %loss.reduce_2 : tensor<2xf32>
    %loss.total = stablehlo.reduce(%loss.losses init: %c0) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %loss.loss = stablehlo.divide %loss.total, %batch : tensor<f32>
    %loss.broadcast_in_dim_4 = stablehlo.broadcast_in_dim %loss.mass, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %loss.multiply_3 = stablehlo.multiply %loss.softmax, %loss.broadcast_in_dim_4 : tensor<2x3xf32>
    %loss.subtract = stablehlo.subtract %loss.multiply_3, %loss.target : tensor<2x3xf32>
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
    %loss.multiply_4 = stablehlo.multiply %loss.convert, %loss.onehot : tensor<2x3xf32>
    %loss.correct = stablehlo.reduce(%loss.multiply_4 init: %c0) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    // dense1: Dense(out_features=3, in_features=None, bias=True) [18] -> [3], backward
    %dense1.dx = stablehlo.dot_general %loss.dlogits, %dense1.weight, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<18x3xf32>) -> tensor<2x18xf32>
    %dense1.dweight = stablehlo.dot_general %flatten1.y, %loss.dlogits, contracting_dims = [0] x [0] : (tensor<2x18xf32>, tensor<2x3xf32>) -> tensor<18x3xf32>
    %dense1.dbias = stablehlo.reduce(%loss.dlogits init: %c0) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    // flatten1: Flatten() [2, 3, 3] -> [18], backward
    %flatten1.dnchw = stablehlo.reshape %dense1.dx : (tensor<2x18xf32>) -> tensor<2x2x3x3xf32>
    // maxpool1: MaxPool(kernel=2, strides=None, padding=Padding.VALID) [2, 6, 6] -> [2, 3, 3], backward
    %maxpool1.routed = "stablehlo.select_and_scatter"(%convbn1.act.y, %flatten1.dnchw, %c0) <{window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>, padding = dense<[[0, 0], [0, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>}> ({
    ^bb0(%maxpool1.candidate: tensor<f32>, %maxpool1.next: tensor<f32>):
      %maxpool1.compare = stablehlo.compare GE, %maxpool1.candidate, %maxpool1.next, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %maxpool1.compare : tensor<i1>
    }, {
    ^bb0(%maxpool1.sum: tensor<f32>, %maxpool1.update: tensor<f32>):
      %maxpool1.add = stablehlo.add %maxpool1.sum, %maxpool1.update : tensor<f32>
      stablehlo.return %maxpool1.add : tensor<f32>
    }) : (tensor<2x2x6x6xf32>, tensor<2x2x3x3xf32>, tensor<f32>) -> tensor<2x2x6x6xf32>
    // convbn1.act: Activation(function=Function.RELU) [2, 6, 6] -> [2, 6, 6], backward
    %convbn1.act.on = stablehlo.compare GT, %convbn1.act.y, %c0_2, FLOAT : (tensor<2x2x6x6xf32>, tensor<2x2x6x6xf32>) -> tensor<2x2x6x6xi1>
    %convbn1.act.dx = stablehlo.select %convbn1.act.on, %maxpool1.routed, %c0_2 : tensor<2x2x6x6xi1>, tensor<2x2x6x6xf32>
    // convbn1.bn: BatchNorm(epsilon=1e-05, decay=0.9, running_variance=RunningVariance.UNBIASED) [2, 6, 6] -> [2, 6, 6], backward
    %convbn1.bn.dbias = stablehlo.reduce(%convbn1.act.dx init: %c0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2xf32>
    %convbn1.bn.multiply_7 = stablehlo.multiply %convbn1.act.dx, %convbn1.bn.xhat : tensor<2x2x6x6xf32>
    %convbn1.bn.dweight = stablehlo.reduce(%convbn1.bn.multiply_7 init: %c0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<2x2x6x6xf32>, tensor<f32>) -> tensor<2xf32>
    %convbn1.bn.scale = stablehlo.multiply %convbn1.bn.weight, %convbn1.bn.istd : tensor<2xf32>
    %convbn1.bn.divide_2 = stablehlo.divide %convbn1.bn.dweight, %c72 : tensor<2xf32>
    %convbn1.bn.broadcast_in_dim_5 = stablehlo.broadcast_in_dim %convbn1.bn.divide_2, dims = [1] : (tensor<2xf32>) -> tensor<2x2x6x6xf32>
    %convbn1.bn.multiply_8 = stablehlo.multiply %convbn1.bn.xhat, %convbn1.bn.broadcast_in_dim_5 : tensor<2x2x6x6xf32>
    %convbn1.bn.divide_3 = stablehlo.divide %convbn1.bn.dbias, %c72 : tensor<2xf32>
    %convbn1.bn.broadcast_in_dim_6 = stablehlo.broadcast_in_dim %convbn1.bn.divide_3, dims = [1] : (tensor<2xf32>) -> tensor<2x2x6x6xf32>
    %convbn1.bn.subtract = stablehlo.subtract %convbn1.act.dx, %convbn1.bn.broadcast_in_dim_6 : tensor<2x2x6x6xf32>
    %convbn1.bn.subtract_2 = stablehlo.subtract %convbn1.bn.subtract, %convbn1.bn.multiply_8 : tensor<2x2x6x6xf32>
    %convbn1.bn.broadcast_in_dim_7 = stablehlo.broadcast_in_dim %convbn1.bn.scale, dims = [1] : (tensor<2xf32>) -> tensor<2x2x6x6xf32>
    %convbn1.bn.dx = stablehlo.multiply %convbn1.bn.subtract_2, %convbn1.bn.broadcast_in_dim_7 : tensor<2x2x6x6xf32>
    // convbn1.conv: Conv2d(out_channels=2, kernel=3, strides=1, padding=Padding.SYMMETRIC, dilation=1, groups=1, bias=False, in_channels=None) [1, 6, 6] -> [2, 6, 6], backward
    %convbn1.conv.xdy = stablehlo.convolution(%x, %convbn1.bn.dx) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x1x6x6xf32>, tensor<2x2x6x6xf32>) -> tensor<1x2x3x3xf32>
    %convbn1.conv.dweight = stablehlo.transpose %convbn1.conv.xdy, dims = [1, 0, 2, 3] : (tensor<1x2x3x3xf32>) -> tensor<2x1x3x3xf32>
    // bias correction
    %c0.9_3 = stablehlo.constant dense<0.9> : tensor<f32>
    %correction.power = stablehlo.power %c0.9_3, %t : tensor<f32>
    %c1 = stablehlo.constant dense<1.0> : tensor<f32>
    %correction.subtract = stablehlo.subtract %c1, %correction.power : tensor<f32>
    %c0.999 = stablehlo.constant dense<0.999> : tensor<f32>
    %correction.power_2 = stablehlo.power %c0.999, %t : tensor<f32>
    %correction.subtract_2 = stablehlo.subtract %c1, %correction.power_2 : tensor<f32>
    // update: AdamW(beta1=0.9, beta2=0.999, epsilon=1e-08, placement=EpsilonPlacement.OUTSIDE_CORRECTED_ROOT, weight_decay=0.01, decay_scale=DecayScale.LEARNING_RATE, partition=Partition.KERNELS)
    %c0.9_4 = stablehlo.constant dense<0.9> : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.multiply = stablehlo.multiply %convbn1.conv.weight.m, %c0.9_4 : tensor<2x1x3x3xf32>
    %c0.1_2 = stablehlo.constant dense<0.1> : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.multiply_2 = stablehlo.multiply %convbn1.conv.dweight, %c0.1_2 : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.new_m = stablehlo.add %convbn1.conv.weight.multiply, %convbn1.conv.weight.multiply_2 : tensor<2x1x3x3xf32>
    %c0.999_2 = stablehlo.constant dense<0.999> : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.multiply_3 = stablehlo.multiply %convbn1.conv.weight.v, %c0.999_2 : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.multiply_4 = stablehlo.multiply %convbn1.conv.dweight, %convbn1.conv.dweight : tensor<2x1x3x3xf32>
    %c0.001 = stablehlo.constant dense<0.001> : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.multiply_5 = stablehlo.multiply %convbn1.conv.weight.multiply_4, %c0.001 : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.new_v = stablehlo.add %convbn1.conv.weight.multiply_3, %convbn1.conv.weight.multiply_5 : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.broadcast_in_dim = stablehlo.broadcast_in_dim %correction.subtract, dims = [] : (tensor<f32>) -> tensor<2x1x3x3xf32>
    %convbn1.conv.weight.divide = stablehlo.divide %convbn1.conv.weight.new_m, %convbn1.conv.weight.broadcast_in_dim : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.broadcast_in_dim_2 = stablehlo.broadcast_in_dim %correction.subtract_2, dims = [] : (tensor<f32>) -> tensor<2x1x3x3xf32>
    %convbn1.conv.weight.divide_2 = stablehlo.divide %convbn1.conv.weight.new_v, %convbn1.conv.weight.broadcast_in_dim_2 : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.sqrt = stablehlo.sqrt %convbn1.conv.weight.divide_2 : tensor<2x1x3x3xf32>
    %c1em08 = stablehlo.constant dense<1.0e-8> : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.add = stablehlo.add %convbn1.conv.weight.sqrt, %c1em08 : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.direction = stablehlo.divide %convbn1.conv.weight.divide, %convbn1.conv.weight.add : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.broadcast_in_dim_3 = stablehlo.broadcast_in_dim %lr, dims = [] : (tensor<f32>) -> tensor<2x1x3x3xf32>
    %convbn1.conv.weight.multiply_6 = stablehlo.multiply %convbn1.conv.weight.broadcast_in_dim_3, %convbn1.conv.weight.direction : tensor<2x1x3x3xf32>
    %c0.01 = stablehlo.constant dense<0.01> : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.multiply_7 = stablehlo.multiply %convbn1.conv.weight, %c0.01 : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.multiply_8 = stablehlo.multiply %convbn1.conv.weight.broadcast_in_dim_3, %convbn1.conv.weight.multiply_7 : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.add_2 = stablehlo.add %convbn1.conv.weight.multiply_6, %convbn1.conv.weight.multiply_8 : tensor<2x1x3x3xf32>
    %convbn1.conv.weight.new = stablehlo.subtract %convbn1.conv.weight, %convbn1.conv.weight.add_2 : tensor<2x1x3x3xf32>
    %convbn1.bn.weight.multiply = stablehlo.multiply %convbn1.bn.weight.m, %c0.9 : tensor<2xf32>
    %convbn1.bn.weight.multiply_2 = stablehlo.multiply %convbn1.bn.dweight, %c0.1 : tensor<2xf32>
    %convbn1.bn.weight.new_m = stablehlo.add %convbn1.bn.weight.multiply, %convbn1.bn.weight.multiply_2 : tensor<2xf32>
    %c0.999_3 = stablehlo.constant dense<0.999> : tensor<2xf32>
    %convbn1.bn.weight.multiply_3 = stablehlo.multiply %convbn1.bn.weight.v, %c0.999_3 : tensor<2xf32>
    %convbn1.bn.weight.multiply_4 = stablehlo.multiply %convbn1.bn.dweight, %convbn1.bn.dweight : tensor<2xf32>
    %c0.001_2 = stablehlo.constant dense<0.001> : tensor<2xf32>
    %convbn1.bn.weight.multiply_5 = stablehlo.multiply %convbn1.bn.weight.multiply_4, %c0.001_2 : tensor<2xf32>
    %convbn1.bn.weight.new_v = stablehlo.add %convbn1.bn.weight.multiply_3, %convbn1.bn.weight.multiply_5 : tensor<2xf32>
    %convbn1.bn.weight.broadcast_in_dim = stablehlo.broadcast_in_dim %correction.subtract, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %convbn1.bn.weight.divide = stablehlo.divide %convbn1.bn.weight.new_m, %convbn1.bn.weight.broadcast_in_dim : tensor<2xf32>
    %convbn1.bn.weight.broadcast_in_dim_2 = stablehlo.broadcast_in_dim %correction.subtract_2, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %convbn1.bn.weight.divide_2 = stablehlo.divide %convbn1.bn.weight.new_v, %convbn1.bn.weight.broadcast_in_dim_2 : tensor<2xf32>
    %convbn1.bn.weight.sqrt = stablehlo.sqrt %convbn1.bn.weight.divide_2 : tensor<2xf32>
    %c1em08_2 = stablehlo.constant dense<1.0e-8> : tensor<2xf32>
    %convbn1.bn.weight.add = stablehlo.add %convbn1.bn.weight.sqrt, %c1em08_2 : tensor<2xf32>
    %convbn1.bn.weight.direction = stablehlo.divide %convbn1.bn.weight.divide, %convbn1.bn.weight.add : tensor<2xf32>
    %convbn1.bn.weight.broadcast_in_dim_3 = stablehlo.broadcast_in_dim %lr, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %convbn1.bn.weight.multiply_6 = stablehlo.multiply %convbn1.bn.weight.broadcast_in_dim_3, %convbn1.bn.weight.direction : tensor<2xf32>
    %convbn1.bn.weight.new = stablehlo.subtract %convbn1.bn.weight, %convbn1.bn.weight.multiply_6 : tensor<2xf32>
    %convbn1.bn.bias.multiply = stablehlo.multiply %convbn1.bn.bias.m, %c0.9 : tensor<2xf32>
    %convbn1.bn.bias.multiply_2 = stablehlo.multiply %convbn1.bn.dbias, %c0.1 : tensor<2xf32>
    %convbn1.bn.bias.new_m = stablehlo.add %convbn1.bn.bias.multiply, %convbn1.bn.bias.multiply_2 : tensor<2xf32>
    %convbn1.bn.bias.multiply_3 = stablehlo.multiply %convbn1.bn.bias.v, %c0.999_3 : tensor<2xf32>
    %convbn1.bn.bias.multiply_4 = stablehlo.multiply %convbn1.bn.dbias, %convbn1.bn.dbias : tensor<2xf32>
    %convbn1.bn.bias.multiply_5 = stablehlo.multiply %convbn1.bn.bias.multiply_4, %c0.001_2 : tensor<2xf32>
    %convbn1.bn.bias.new_v = stablehlo.add %convbn1.bn.bias.multiply_3, %convbn1.bn.bias.multiply_5 : tensor<2xf32>
    %convbn1.bn.bias.divide = stablehlo.divide %convbn1.bn.bias.new_m, %convbn1.bn.weight.broadcast_in_dim : tensor<2xf32>
    %convbn1.bn.bias.divide_2 = stablehlo.divide %convbn1.bn.bias.new_v, %convbn1.bn.weight.broadcast_in_dim_2 : tensor<2xf32>
    %convbn1.bn.bias.sqrt = stablehlo.sqrt %convbn1.bn.bias.divide_2 : tensor<2xf32>
    %convbn1.bn.bias.add = stablehlo.add %convbn1.bn.bias.sqrt, %c1em08_2 : tensor<2xf32>
    %convbn1.bn.bias.direction = stablehlo.divide %convbn1.bn.bias.divide, %convbn1.bn.bias.add : tensor<2xf32>
    %convbn1.bn.bias.multiply_6 = stablehlo.multiply %convbn1.bn.weight.broadcast_in_dim_3, %convbn1.bn.bias.direction : tensor<2xf32>
    %convbn1.bn.bias.new = stablehlo.subtract %convbn1.bn.bias, %convbn1.bn.bias.multiply_6 : tensor<2xf32>
    %c0.9_5 = stablehlo.constant dense<0.9> : tensor<18x3xf32>
    %dense1.weight.multiply = stablehlo.multiply %dense1.weight.m, %c0.9_5 : tensor<18x3xf32>
    %c0.1_3 = stablehlo.constant dense<0.1> : tensor<18x3xf32>
    %dense1.weight.multiply_2 = stablehlo.multiply %dense1.dweight, %c0.1_3 : tensor<18x3xf32>
    %dense1.weight.new_m = stablehlo.add %dense1.weight.multiply, %dense1.weight.multiply_2 : tensor<18x3xf32>
    %c0.999_4 = stablehlo.constant dense<0.999> : tensor<18x3xf32>
    %dense1.weight.multiply_3 = stablehlo.multiply %dense1.weight.v, %c0.999_4 : tensor<18x3xf32>
    %dense1.weight.multiply_4 = stablehlo.multiply %dense1.dweight, %dense1.dweight : tensor<18x3xf32>
    %c0.001_3 = stablehlo.constant dense<0.001> : tensor<18x3xf32>
    %dense1.weight.multiply_5 = stablehlo.multiply %dense1.weight.multiply_4, %c0.001_3 : tensor<18x3xf32>
    %dense1.weight.new_v = stablehlo.add %dense1.weight.multiply_3, %dense1.weight.multiply_5 : tensor<18x3xf32>
    %dense1.weight.broadcast_in_dim = stablehlo.broadcast_in_dim %correction.subtract, dims = [] : (tensor<f32>) -> tensor<18x3xf32>
    %dense1.weight.divide = stablehlo.divide %dense1.weight.new_m, %dense1.weight.broadcast_in_dim : tensor<18x3xf32>
    %dense1.weight.broadcast_in_dim_2 = stablehlo.broadcast_in_dim %correction.subtract_2, dims = [] : (tensor<f32>) -> tensor<18x3xf32>
    %dense1.weight.divide_2 = stablehlo.divide %dense1.weight.new_v, %dense1.weight.broadcast_in_dim_2 : tensor<18x3xf32>
    %dense1.weight.sqrt = stablehlo.sqrt %dense1.weight.divide_2 : tensor<18x3xf32>
    %c1em08_3 = stablehlo.constant dense<1.0e-8> : tensor<18x3xf32>
    %dense1.weight.add = stablehlo.add %dense1.weight.sqrt, %c1em08_3 : tensor<18x3xf32>
    %dense1.weight.direction = stablehlo.divide %dense1.weight.divide, %dense1.weight.add : tensor<18x3xf32>
    %dense1.weight.broadcast_in_dim_3 = stablehlo.broadcast_in_dim %lr, dims = [] : (tensor<f32>) -> tensor<18x3xf32>
    %dense1.weight.multiply_6 = stablehlo.multiply %dense1.weight.broadcast_in_dim_3, %dense1.weight.direction : tensor<18x3xf32>
    %c0.01_2 = stablehlo.constant dense<0.01> : tensor<18x3xf32>
    %dense1.weight.multiply_7 = stablehlo.multiply %dense1.weight, %c0.01_2 : tensor<18x3xf32>
    %dense1.weight.multiply_8 = stablehlo.multiply %dense1.weight.broadcast_in_dim_3, %dense1.weight.multiply_7 : tensor<18x3xf32>
    %dense1.weight.add_2 = stablehlo.add %dense1.weight.multiply_6, %dense1.weight.multiply_8 : tensor<18x3xf32>
    %dense1.weight.new = stablehlo.subtract %dense1.weight, %dense1.weight.add_2 : tensor<18x3xf32>
    %c0.9_6 = stablehlo.constant dense<0.9> : tensor<3xf32>
    %dense1.bias.multiply = stablehlo.multiply %dense1.bias.m, %c0.9_6 : tensor<3xf32>
    %c0.1_4 = stablehlo.constant dense<0.1> : tensor<3xf32>
    %dense1.bias.multiply_2 = stablehlo.multiply %dense1.dbias, %c0.1_4 : tensor<3xf32>
    %dense1.bias.new_m = stablehlo.add %dense1.bias.multiply, %dense1.bias.multiply_2 : tensor<3xf32>
    %c0.999_5 = stablehlo.constant dense<0.999> : tensor<3xf32>
    %dense1.bias.multiply_3 = stablehlo.multiply %dense1.bias.v, %c0.999_5 : tensor<3xf32>
    %dense1.bias.multiply_4 = stablehlo.multiply %dense1.dbias, %dense1.dbias : tensor<3xf32>
    %c0.001_4 = stablehlo.constant dense<0.001> : tensor<3xf32>
    %dense1.bias.multiply_5 = stablehlo.multiply %dense1.bias.multiply_4, %c0.001_4 : tensor<3xf32>
    %dense1.bias.new_v = stablehlo.add %dense1.bias.multiply_3, %dense1.bias.multiply_5 : tensor<3xf32>
    %dense1.bias.broadcast_in_dim = stablehlo.broadcast_in_dim %correction.subtract, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %dense1.bias.divide = stablehlo.divide %dense1.bias.new_m, %dense1.bias.broadcast_in_dim : tensor<3xf32>
    %dense1.bias.broadcast_in_dim_2 = stablehlo.broadcast_in_dim %correction.subtract_2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %dense1.bias.divide_2 = stablehlo.divide %dense1.bias.new_v, %dense1.bias.broadcast_in_dim_2 : tensor<3xf32>
    %dense1.bias.sqrt = stablehlo.sqrt %dense1.bias.divide_2 : tensor<3xf32>
    %c1em08_4 = stablehlo.constant dense<1.0e-8> : tensor<3xf32>
    %dense1.bias.add = stablehlo.add %dense1.bias.sqrt, %c1em08_4 : tensor<3xf32>
    %dense1.bias.direction = stablehlo.divide %dense1.bias.divide, %dense1.bias.add : tensor<3xf32>
    %dense1.bias.broadcast_in_dim_3 = stablehlo.broadcast_in_dim %lr, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %dense1.bias.multiply_6 = stablehlo.multiply %dense1.bias.broadcast_in_dim_3, %dense1.bias.direction : tensor<3xf32>
    %dense1.bias.new = stablehlo.subtract %dense1.bias, %dense1.bias.multiply_6 : tensor<3xf32>
    return %convbn1.conv.weight.new, %convbn1.bn.weight.new, %convbn1.bn.bias.new, %dense1.weight.new, %dense1.bias.new, %convbn1.conv.weight.new_m, %convbn1.bn.weight.new_m, %convbn1.bn.bias.new_m, %dense1.weight.new_m, %dense1.bias.new_m, %convbn1.conv.weight.new_v, %convbn1.bn.weight.new_v, %convbn1.bn.bias.new_v, %dense1.weight.new_v, %dense1.bias.new_v, %convbn1.bn.new_running_mean, %convbn1.bn.new_running_var, %loss.loss, %loss.correct : tensor<2x1x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<18x3xf32>, tensor<3xf32>, tensor<2x1x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<18x3xf32>, tensor<3xf32>, tensor<2x1x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<18x3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>
  }
}
