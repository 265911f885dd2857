#include "explain/feature_path.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <utility>

namespace ordered_gnn::explain {

at::Tensor gradient_at(const FeaturePoint& point, const at::Tensor& number) {
  if (!number.requires_grad()) return {};
  return torch::autograd::grad({number}, {point.values}, /*grad_outputs=*/{},
                               /*retain_graph=*/false, /*create_graph=*/false,
                               /*allow_unused=*/true)
      .front();
}

FeaturePath::FeaturePath(NodeFeatures features, const at::Tensor& baseline)
    : features_(std::move(features)), baseline_(baseline) {
  TORCH_INTERNAL_ASSERT(features_.kind() != NodeFeatures::Kind::identity);
  const bool is_dense = features_.kind() == NodeFeatures::Kind::dense;
  difference_ =
      is_dense ? features_.dense_values() - baseline_ : features_.rows().value;
}

NodeFeatures FeaturePath::with_values(const at::Tensor& values) const {
  if (features_.kind() == NodeFeatures::Kind::dense) {
    return NodeFeatures::dense(values);
  }
  const SparseRows& rows = features_.rows();
  return NodeFeatures::sparse({rows.rowptr, rows.col, values},
                              features_.num_features());
}

FeaturePoint FeaturePath::at(double share) const {
  const at::NoGradGuard no_grad;
  at::Tensor values = difference_ * share;
  if (features_.kind() == NodeFeatures::Kind::dense) values += baseline_;
  values.requires_grad_();
  return {values, with_values(values)};
}

NodeFeatures FeaturePath::without(int64_t node,
                                  const Attribute& attribute) const {
  const at::NoGradGuard no_grad;
  const int64_t first = attribute.first_feature;
  const int64_t end = first + attribute.num_features;
  if (features_.kind() == NodeFeatures::Kind::dense) {
    const at::Tensor values = features_.dense_values().clone();
    values.select(0, node)
        .slice(0, first, end)
        .copy_(baseline_.slice(0, first, end));
    return NodeFeatures::dense(values);
  }
  const SparseRows& rows = features_.rows();
  const at::Tensor values = rows.value.clone();
  const int64_t* const rowptr = rows.rowptr.data_ptr<int64_t>();
  const int32_t* const col = rows.col.data_ptr<int32_t>();
  for (int64_t e = rowptr[node]; e < rowptr[node + 1]; ++e) {
    if (col[e] >= first && col[e] < end) values.data_ptr<float>()[e] = 0;
  }
  return with_values(values);
}

void FeaturePath::for_each(
    const at::Tensor& numbers,
    const std::function<void(int64_t, int64_t, double)>& body) const {
  const at::Tensor list = numbers.to(at::kDouble).contiguous();
  const double* const number = list.data_ptr<double>();
  if (features_.kind() == NodeFeatures::Kind::dense) {
    const int64_t width = features_.num_features();
    for (int64_t i = 0; i < list.numel(); ++i) {
      body(i / width, i % width, number[i]);
    }
    return;
  }
  const SparseRows& rows = features_.rows();
  const int64_t* const rowptr = rows.rowptr.data_ptr<int64_t>();
  const int32_t* const col = rows.col.data_ptr<int32_t>();
  for (int64_t v = 0; v < features_.num_nodes(); ++v) {
    for (int64_t e = rowptr[v]; e < rowptr[v + 1]; ++e) {
      body(v, col[e], number[e]);
    }
  }
}

}  // namespace ordered_gnn::explain
