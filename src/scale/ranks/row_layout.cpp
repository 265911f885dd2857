#include "scale/ranks/row_layout.h"

#include "ops/cpu/kernels/keep_bits.h"
#include "ops/detail/dropout.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::scale {
namespace {

constexpr int64_t kRowsPerTask = 1024;

}  // namespace

RowLayout::RowLayout(const std::vector<int64_t>& nodes, int64_t dim,
                     const core::RowKnowledge& known)
    : dim_(dim), words_((dim + 63) / 64) {
  const auto rows = static_cast<int64_t>(nodes.size());
  begin_.assign(rows + 1, 0);
  kept_.resize(rows * words_);
  const detail::Dropout dropout(known.rate, known.key);
  const kernels::DropoutMask mask(dropout.mask_key(), known.rate);
  parallel_ranges(rows, kRowsPerTask, [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) {
      uint64_t* const bits = kept_.data() + r * words_;
      ORDERED_GNN_SIMD_CALL(keep_bits(mask, nodes[r] * dim, dim, bits));
      for (int64_t word = 0; word < words_; ++word) {
        begin_[r + 1] += __builtin_popcountll(bits[word]);
      }
    }
  });
  for (int64_t r = 0; r < rows; ++r) begin_[r + 1] += begin_[r];
}

at::Tensor RowLayout::of_rows(const at::Tensor& message, int64_t first,
                              int64_t rows) const {
  return message.narrow(0, begin(first), begin(first + rows) - begin(first));
}

}  // namespace ordered_gnn::scale
