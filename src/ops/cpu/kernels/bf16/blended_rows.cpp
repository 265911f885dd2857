// Work split: a few rows at a time through all steps.
// Memory: rows are read and written once, in two bytes; what is between the
// steps takes the first-level cache.
// Determinism: sums run in a fixed order inside a row, those over rows in the
// order of the rows.
#include "ops/cpu/kernels/bf16/normed_steps.h"
#include "ops/cpu/kernels/gate_tile.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

// The gate of a row in all columns that it opens.
inline void expand(const BlendedRows& job, int64_t v, int64_t dim,
                   const Room& room) {
  const Bf16* const gate = job.gate + v * job.gates;
  for_columns(job.gates, [&](auto columns, int64_t c) {
    columns.put(room.gate + c, columns.get(gate + c));
  });
  expand_gate(room.gate, job.gates, dim / job.gates, room.wide);
}

// What the gate makes of columns of h and m.
template <typename Columns>
inline typename Columns::Value blend(const Columns& columns, const Bf16* h,
                                     const Bf16* m, const float* wide) {
  const auto sums = columns.get(m);
  return sums + columns.get(wide) * (columns.get(h) - sums);
}

template <bool kDrops>
void finish_blended(const BlendedRowsForward& job, const Room& room) {
  normalize_all<kDrops>(job, room, [&](int64_t v, float* x) {
    expand(job, v, job.dim, room);
    const Bf16* const h = job.h + v * job.dim;
    const Bf16* const m = job.m + v * job.dim;
    ColumnSum sum;
    for_columns(job.dim, [&](auto columns, int64_t d) {
      const auto value = blend(columns, h + d, m + d, room.wide + d);
      columns.put(x + d, value);
      sum.add(value);
    });
    return sum.total();
  });
}

// Row v back through the rest of the norm and the blend. `products` may be
// `normalized`.
inline void undo_blend(const BlendedRowsBackward& job, int64_t v,
                       const RowMeans& means, const float* wide,
                       const float* scaled, const float* normalized,
                       float* products) {
  const Bf16* const h = job.h + v * job.dim;
  const Bf16* const m = job.m + v * job.dim;
  float* const grad_h = job.grad_h + v * job.dim;
  float* const grad_m = job.grad_m + v * job.dim;
  const float rstd = job.rstd[v];
  for_columns(job.dim, [&](auto columns, int64_t d) {
    const auto grad =
        undo_means(columns, means, rstd, scaled + d, normalized + d);
    const auto of_h = grad * columns.get(wide + d);
    columns.put(products + d, grad * (columns.get(h + d) - columns.get(m + d)));
    columns.put(grad_h + d, of_h);
    columns.put(grad_m + d, grad - of_h);
  });
  float* const gate_grad = job.gate_grad + v * job.gates;
  fold_gate(products, job.gates, job.dim / job.gates, gate_grad);
  if (job.grad_gate == nullptr) return;
  const Bf16* const more = job.grad_gate + v * job.gates;
  for_columns(job.gates, [&](auto columns, int64_t c) {
    columns.put(gate_grad + c,
                columns.get(gate_grad + c) + columns.get(more + c));
  });
}

template <bool kDrops>
void undo_blended(const BlendedRowsBackward& job, const Room& room) {
  undo_all(
      job, room,
      [&](int64_t v, const uint64_t* mask, float* scaled, float* normalized) {
        expand(job, v, job.dim, room);
        const Bf16* const h = job.h + v * job.dim;
        const Bf16* const m = job.m + v * job.dim;
        return undo_scale<kDrops>(
            job, v, mask,
            [&](auto columns, int64_t d) {
              return blend(columns, h + d, m + d, room.wide + d);
            },
            scaled, normalized);
      },
      [&](int64_t v, const RowMeans& means, const uint64_t* /*mask*/,
          const float* scaled, float* normalized) {
        expand(job, v, job.dim, room);
        undo_blend(job, v, means, room.wide, scaled, normalized, normalized);
      });
}

}  // namespace

void normed_rows_forward(const BlendedRowsForward& job, float* scratch) {
  const Room room(job.dim, scratch);
  if (job.mask != nullptr) {
    finish_blended<true>(job, room);
  } else {
    finish_blended<false>(job, room);
  }
}

void normed_rows_backward(const BlendedRowsBackward& job, float* scratch) {
  const Room room(job.dim, scratch);
  if (job.mask != nullptr) {
    undo_blended<true>(job, room);
  } else {
    undo_blended<false>(job, room);
  }
}

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
