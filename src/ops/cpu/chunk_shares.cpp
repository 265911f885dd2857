#include "ops/cpu/chunk_shares.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>

#include "core/recycled_tensor.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

constexpr int64_t kZerosPerBlock = 1 << 15;
constexpr int64_t kAddedPerBlock = 1 << 16;
// LibTorch sums numbers that fill no vector in another order than others: a
// multiple of its widest step, so that only those at the end are such.
constexpr int64_t kStep = 256;

}  // namespace

at::Tensor zero_shares(at::IntArrayRef sizes,
                       const at::TensorOptions& options) {
  at::Tensor out = core::recycled_empty(sizes, options);
  AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "zero_shares", [&] {
    scalar_t* const values = out.data_ptr<scalar_t>();
    parallel_ranges(out.numel(), kZerosPerBlock,
                    [&](int64_t begin, int64_t end) {
                      std::fill(values + begin, values + end, scalar_t(0));
                    });
  });
  return out;
}

at::Tensor sum_of_shares(const at::Tensor& shares) {
  const at::Tensor out = at::empty(shares.sizes().slice(1), shares.options());
  if (shares.size(0) == 0) return out.zero_();
  const at::Tensor numbers = shares.reshape({shares.size(0), out.numel()});
  const at::Tensor sums = out.view({-1});
  const int64_t block =
      std::max<int64_t>(kStep, kAddedPerBlock / shares.size(0) / kStep * kStep);
  parallel_ranges(sums.numel(), block, [&](int64_t begin, int64_t end) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    at::Tensor part = sums.narrow(0, begin, end - begin);
    at::sum_out(part, numbers.narrow(1, begin, end - begin), {0});
  });
  return out;
}

}  // namespace ordered_gnn::cpu
