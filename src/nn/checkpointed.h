#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace ordered_gnn::nn {

using Tensors = std::vector<at::Tensor>;
using TensorsFunction = std::function<Tensors(const Tensors&)>;

/// function(inputs) that keeps nothing but its inputs for backward, which calls
/// the function again. The function must give the same values each time and
/// depend on no tensor that needs a gradient but `inputs` and `parameters`,
/// the latter captured by it. Calls may be nested. Without a gradient to come
/// it is just the call.
Tensors checkpointed(const TensorsFunction& function, const Tensors& inputs,
                     const Tensors& parameters);

}  // namespace ordered_gnn::nn
