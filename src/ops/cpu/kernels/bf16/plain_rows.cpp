// Work split: a few rows at a time through all steps.
// Memory: rows are read and written once, in two bytes; what is between the
// steps takes the first-level cache.
// Determinism: sums run in a fixed order inside a row, those over rows in the
// order of the rows.
#include "ops/cpu/kernels/bf16/normed_steps.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

// Columns of a row, or what is positive of them.
template <bool kRelu, typename Columns>
inline typename Columns::Value input_at(const Columns& columns,
                                        const Bf16* in) {
  const auto x = columns.get(in);
  if constexpr (kRelu) {
    return x < 0 ? typename Columns::Value{} : x;  // NaN stays
  } else {
    return x;
  }
}

template <bool kRelu, bool kDrops>
void finish_plain(const PlainRowsForward& job, const Room& room) {
  normalize_all<kDrops>(job, room, [&](int64_t v, float* x) {
    const Bf16* const in = job.in + v * job.dim;
    ColumnSum sum;
    for_columns(job.dim, [&](auto columns, int64_t d) {
      const auto value = input_at<kRelu>(columns, in + d);
      columns.put(x + d, value);
      sum.add(value);
    });
    return sum.total();
  });
}

// Row v back through the rest of the norm, and forward again.
template <bool kRelu, bool kDrops>
inline void undo_plain_row(const PlainRowsBackward& job, int64_t v,
                           const RowMeans& means, const uint64_t* mask,
                           const float* scaled, const float* normalized) {
  const Bf16* const in = job.in + v * job.dim;
  Bf16* const grad_in = job.grad_in + v * job.dim;
  const float rstd = job.rstd[v];
  for_columns(job.dim, [&](auto columns, int64_t d) {
    using Value = typename decltype(columns)::Value;
    Value grad = undo_means(columns, means, rstd, scaled + d, normalized + d);
    if (kRelu) grad = columns.get(in + d) <= 0 ? Value{} : grad;
    columns.put(job.sums + d, columns.get(job.sums + d) + grad);
    columns.put(grad_in + d, grad);
  });
  if (job.out == nullptr) return;
  Bf16* const out = job.out + v * job.dim;
  const float scale = kDrops ? static_cast<float>(job.mask->scale) : 1.0F;
  for_columns(job.dim, [&](auto columns, int64_t d) {
    auto value = columns.get(normalized + d) * columns.get(job.weight + d) +
                 columns.get(job.bias + d);
    if (kDrops) value = dropped<decltype(columns)>(mask, d, scale, value);
    columns.put(out + d, value);
  });
}

template <bool kRelu, bool kDrops>
void undo_plain(const PlainRowsBackward& job, const Room& room) {
  undo_all(
      job, room,
      [&](int64_t v, const uint64_t* mask, float* scaled, float* normalized) {
        const Bf16* const in = job.in + v * job.dim;
        return undo_scale<kDrops>(
            job, v, mask,
            [&](auto columns, int64_t d) {
              return input_at<kRelu>(columns, in + d);
            },
            scaled, normalized);
      },
      [&](int64_t v, const RowMeans& means, const uint64_t* mask,
          const float* scaled, const float* normalized) {
        undo_plain_row<kRelu, kDrops>(job, v, means, mask, scaled, normalized);
      });
}

}  // namespace

void normed_rows_forward(const PlainRowsForward& job, float* scratch) {
  const Room room(job.dim, scratch);
  const bool drops = job.mask != nullptr;
  if (job.relu) {
    drops ? finish_plain<true, true>(job, room)
          : finish_plain<true, false>(job, room);
  } else {
    drops ? finish_plain<false, true>(job, room)
          : finish_plain<false, false>(job, room);
  }
}

void normed_rows_backward(const PlainRowsBackward& job, float* scratch) {
  const Room room(job.dim, scratch);
  const bool drops = job.mask != nullptr;
  if (job.relu) {
    drops ? undo_plain<true, true>(job, room)
          : undo_plain<true, false>(job, room);
  } else {
    drops ? undo_plain<false, true>(job, room)
          : undo_plain<false, false>(job, room);
  }
}

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
