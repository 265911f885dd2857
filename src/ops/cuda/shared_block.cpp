#include "ops/cuda/shared_block.h"

#include <c10/core/ScalarType.h>
#include <c10/util/accumulate.h>

#include "ops/cuda/context.h"
#include "ops/detail/gated_layer.h"

namespace ordered_gnn::cuda {
namespace {

// As PyTorch's allocator rounds: any access that is aligned in a block of its
// own is so here.
constexpr int64_t kAlignment = 512;

int64_t aligned_bytes(const Wanted& one) {
  const int64_t bytes = c10::multiply_integers(one.sizes) *
                        static_cast<int64_t>(c10::elementSize(one.type));
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// A tensor of its own in the memory of `block`, from byte `offset` on; for
// autograd it is no view.
at::Tensor part_of(const at::Tensor& block, int64_t offset, const Wanted& one) {
  at::Tensor part = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(block.storage()), block.key_set(),
      c10::scalarTypeToTypeMeta(one.type));
  c10::TensorImpl* const impl = part.unsafeGetTensorImpl();
  impl->set_storage_offset(offset /
                           static_cast<int64_t>(c10::elementSize(one.type)));
  impl->set_sizes_contiguous(one.sizes);
  return part;
}

}  // namespace

void make_tensors(at::Device device, const std::vector<Wanted>& wanted) {
  if (wanted.empty()) return;
  const at::TensorOptions options = at::TensorOptions().device(device);
  if (!detail::is_time_first()) {
    for (const Wanted& one : wanted) {
      *one.place = fresh(one.sizes, options.dtype(one.type));
    }
    return;
  }
  int64_t bytes = 0;
  for (const Wanted& one : wanted) bytes += aligned_bytes(one);
  const at::Tensor block = fresh({bytes}, options.dtype(at::kByte));
  int64_t offset = 0;
  for (const Wanted& one : wanted) {
    *one.place = part_of(block, offset, one);
    offset += aligned_bytes(one);
  }
}

}  // namespace ordered_gnn::cuda
