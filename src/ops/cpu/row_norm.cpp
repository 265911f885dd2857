#include "ops/cpu/row_norm.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>

#include <cmath>

namespace ordered_gnn::cpu {
namespace {

// Mean and biased variance of a column.
struct Moments {
  double mean = 0;
  double variance = 0;
};

template <typename T>
void set_statistics(const NormPass& norm, int64_t d, const Moments& moments) {
  row_of<T>(norm.statistics, 0)[d] = static_cast<T>(moments.mean);
  row_of<T>(norm.statistics, 1)[d] =
      static_cast<T>(1.0 / std::sqrt(moments.variance + norm.eps));
}

// Blocks in order, by the rule for the moments of two parts together.
template <typename T>
Moments moments_of(const at::Tensor& partial,
                   const std::vector<int64_t>& bounds, int64_t d) {
  const int64_t dim = partial.size(2);
  double count = 0, mean = 0, squares = 0;
  for (int64_t block = 0; block < partial.size(0); ++block) {
    const T* const part = partial.data_ptr<T>() + 2 * block * dim + d;
    const auto rows = static_cast<double>(bounds[block + 1] - bounds[block]);
    const double distance = static_cast<double>(part[0]) - mean;
    const double total = count + rows;
    squares += static_cast<double>(part[dim]) +
               distance * distance * count * rows / total;
    mean += distance * rows / total;
    count = total;
  }
  return {mean, squares / count};
}

template <typename T>
void move(const at::Tensor& running, int64_t d, double value, double share) {
  T& number = running.data_ptr<T>()[d * running.stride(0)];
  number =
      static_cast<T>(share * value + (1 - share) * static_cast<double>(number));
}

}  // namespace

NormPass norm_pass(const detail::NormArguments& norm, const at::Tensor& h,
                   double eps) {
  NormPass pass;
  pass.mode = static_cast<NormMode>(norm.mode);
  pass.eps = eps;
  if (pass.mode == NormMode::none) return pass;
  pass.weight = detail::packed(norm.weight);
  pass.bias = detail::packed(norm.bias);
  const bool of_rows = pass.mode == NormMode::layer;
  pass.statistics =
      at::empty({2, h.size(of_rows ? 0 : 1)}, pass.weight.options());
  if (of_rows) return pass;
  if (pass.mode == NormMode::batch) return pass;
  const at::Tensor mean = detail::packed(norm.running_mean);
  const at::Tensor variance = detail::packed(norm.running_var);
  AT_DISPATCH_FLOATING_TYPES(mean.scalar_type(), "candidate_layer", [&] {
    for (int64_t d = 0; d < h.size(1); ++d) {
      set_statistics<scalar_t>(
          pass, d,
          {static_cast<double>(mean.data_ptr<scalar_t>()[d]),
           static_cast<double>(variance.data_ptr<scalar_t>()[d])});
    }
  });
  pass.set_columns();
  return pass;
}

void NormPass::set_columns() {
  const at::Tensor scale = statistics[1].mul(weight);
  columns = at::stack({scale, bias.sub(statistics[0].mul(scale))});
}

ColumnMoments::ColumnMoments(const std::vector<int64_t>& bounds,
                             const at::Tensor& columns)
    : bounds_(bounds),
      partial_(at::empty(
          {static_cast<int64_t>(bounds.size()) - 1, 2, columns.size(0)},
          columns.options())) {}

void ColumnMoments::finish(NormPass& norm,
                           const detail::NormArguments& arguments,
                           double momentum) const {
  const auto rows = static_cast<double>(bounds_.back());
  const bool has_running = arguments.running_mean.has_value();
  AT_DISPATCH_FLOATING_TYPES(partial_.scalar_type(), "candidate_layer", [&] {
    for (int64_t d = 0; d < partial_.size(2); ++d) {
      const Moments moments = moments_of<scalar_t>(partial_, bounds_, d);
      set_statistics<scalar_t>(norm, d, moments);
      if (!has_running) continue;
      move<scalar_t>(*arguments.running_mean, d, moments.mean, momentum);
      move<scalar_t>(*arguments.running_var, d,
                     moments.variance * rows / (rows - 1), momentum);
    }
  });
  norm.set_columns();
}

}  // namespace ordered_gnn::cpu
