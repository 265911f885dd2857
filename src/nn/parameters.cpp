#include "nn/parameters.h"

#include <ATen/Functions.h>

namespace ordered_gnn::nn {
namespace {

thread_local int shapes_only_scopes = 0;

}  // namespace

ShapesOnly::ShapesOnly() { ++shapes_only_scopes; }
ShapesOnly::~ShapesOnly() { --shapes_only_scopes; }

at::Tensor empty_parameter(at::IntArrayRef sizes) {
  return at::empty(
      sizes, at::TensorOptions(shapes_only_scopes > 0 ? at::kMeta : at::kCPU));
}

at::Tensor constant_parameter(at::IntArrayRef sizes, double value) {
  at::Tensor parameter = empty_parameter(sizes);
  if (!parameter.is_meta()) parameter.fill_(value);
  return parameter;
}

}  // namespace ordered_gnn::nn
