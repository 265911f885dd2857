#include "support/tensors.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "ordered_gnn/core/random.h"

namespace ordered_gnn {

at::Tensor random_tensor(at::IntArrayRef sizes, at::ScalarType dtype,
                         uint64_t seed, double low, double high) {
  at::Tensor values = at::empty(sizes, at::kFloat);
  RandomStream random(seed);
  fill_uniform(values, low, high, random);
  return values.to(dtype);
}

at::Tensor strided_copy(const at::Tensor& tensor) {
  const at::Tensor gap = at::full_like(tensor, 7);
  return at::stack({tensor, gap}, -1).select(-1, 0);
}

testing::AssertionResult close_to(const at::Tensor& got,
                                  const at::Tensor& expected) {
  if (got.sizes() != expected.sizes()) {
    return testing::AssertionFailure()
           << "shape " << got.sizes() << " instead of " << expected.sizes();
  }
  if (got.numel() == 0) return testing::AssertionSuccess();
  const bool single = got.scalar_type() == at::kFloat;
  const double relative = single ? 2e-5 : 1e-12;
  const double absolute = single ? 1e-5 : 1e-13;
  const at::Tensor a = got.detach().to(at::kDouble).reshape(-1);
  const at::Tensor b = expected.detach().to(at::kDouble).reshape(-1);
  const at::Tensor excess = (a - b).abs() - relative * b.abs() - absolute;
  // A NaN difference compares false with everything and must fail too.
  if (excess.le(0).all().item<bool>()) return testing::AssertionSuccess();
  const int64_t worst = excess.argmax().item<int64_t>();
  return testing::AssertionFailure()
         << "element " << worst << " of " << got.sizes() << " is "
         << a[worst].item<double>() << " instead of "
         << b[worst].item<double>();
}

}  // namespace ordered_gnn
