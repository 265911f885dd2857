#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/arguments.h"
#include "ops/detail/mask_key.h"
#include "ordered_gnn/core/random.h"

namespace ordered_gnn::detail {

/// How much is dropped out, and by which mask, as ops take it.
struct Dropout {
  Dropout() = default;
  Dropout(double rate, const DropoutKey& key)
      : p(rate),
        seed(key.seed),
        step(key.step.number),
        step_tensor(when_defined(key.step.tensor)),
        site(key.site) {}

  /// Valid as long as this is.
  MaskKey mask_key() const {
    return {
        seed, step, site,
        step_tensor.has_value() ? step_tensor->data_ptr<int64_t>() : nullptr};
  }

  /// The nodes that `rows` rows are of, on their device, see DropoutStep; null:
  /// row i is of node i. Valid as long as this is.
  /// @throws c10::Error when there are nodes, but of another number of rows.
  const int64_t* nodes(int64_t rows) const;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.p, self.seed, self.step, self.step_tensor, self.site);
  }

  double p = 0;
  int64_t seed = 0;
  int64_t step = 0;
  optional<at::Tensor> step_tensor;  ///< in the place of `step`
  int64_t site = 0;
};

/// Arguments of the registered op `dropout`.
struct DropoutArguments {
  at::Tensor x;
  Dropout dropout;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.x, self.dropout);
  }
};

/// Calls the registered op.
at::Tensor dropout(const DropoutArguments& arguments);

/// The same for loops that drop the result of a layer: backward of the layer
/// drops the gradient in its own pass, unless somebody asks to see it between
/// the two.
at::Tensor dropout_of_python(const DropoutArguments& arguments);

void check_dropout(double p);
/// The rate, and the step's tensor for rows on `device`.
void check_dropout(const Dropout& dropout, at::Device device);

}  // namespace ordered_gnn::detail
