// Work split: a few rows at a time through all steps.
// Memory: rows are read and written once, in two bytes; what is between the
// steps takes the first-level cache.
// Determinism: sums run in a fixed order inside a row, those over rows in the
// order of the rows.
#include "ops/cpu/kernels/bf16/layer_rows.h"

#include <cmath>

#include "ops/cpu/kernels/bf16/columns.h"
#include "ops/cpu/kernels/gate_tile.h"
#include "ops/cpu/kernels/keep_bits.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

constexpr int64_t kWordBits = 64;

// The scratch of a call.
struct Room {
  Room(const LayerRows& job, float* scratch)
      : words((job.dim + kWordBits - 1) / kWordBits),
        masks(reinterpret_cast<uint64_t*>(scratch)),
        wide(scratch + 2 * kFewRows * words),
        first(wide + job.dim),
        second(first + kFewRows * job.dim) {}

  const int64_t words;    // of the mask of a row
  uint64_t* const masks;  // [kFewRows, words]
  float* const wide;      // [dim], a gate in all columns that it opens
  float* const first;     // [kFewRows, dim]
  float* const second;    // [kFewRows, dim]
};

inline void expand(const LayerRows& job, int64_t v, float* wide) {
  expand_gate(job.gate + v * job.gates, job.gates, job.dim / job.gates, wide);
}

void make_masks(const LayerRows& job, int64_t begin, int64_t rows,
                const Room& room) {
  if (job.mask == nullptr) return;
  if (job.nodes == nullptr && job.dim % kWordBits == 0) {
    keep_bits(*job.mask, (job.first_node + begin) * job.dim, rows * job.dim,
              room.masks);
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t v = begin + r;
    const int64_t node =
        job.nodes != nullptr ? job.nodes[v] : job.first_node + v;
    keep_bits(*job.mask, node * job.dim, job.dim, room.masks + r * room.words);
  }
}

// The dropout of columns from d on of a row with this mask.
template <typename Columns>
inline typename Columns::Value dropped(const uint64_t* words, int64_t d,
                                       float scale,
                                       const typename Columns::Value& value) {
  return Columns::kept(words[d / kWordBits] >> (d % kWordBits), value * scale);
}

// Calls body(begin, rows) for a few rows at a time.
template <typename Body>
inline void for_few_rows(int64_t all, const Body& body) {
  for (int64_t begin = 0; begin < all; begin += kFewRows) {
    body(begin, all - begin < kFewRows ? all - begin : kFewRows);
  }
}

// The blend of row v into x; gives its sum.
inline float blend(const LayerRows& job, int64_t v, float* wide, float* x) {
  expand(job, v, wide);
  const Bf16* const h = job.h + v * job.dim;
  const Bf16* const m = job.m + v * job.dim;
  ColumnSum sum;
  for_columns(job.dim, [&](auto columns, int64_t d) {
    const auto sums = columns.get(m + d);
    const auto value =
        sums + columns.get(wide + d) * (columns.get(h + d) - sums);
    columns.put(x + d, value);
    sum.add(value);
  });
  return sum.total();
}

inline float squares_from(const float* x, int64_t dim, float mean) {
  ColumnSum sum;
  for_columns(dim, [&](auto columns, int64_t d) {
    const auto away = columns.get(x + d) - mean;
    sum.add(away * away);
  });
  return sum.total();
}

template <bool kDrops>
inline void normalize(const LayerRowsForward& job, int64_t v, const float* x,
                      const uint64_t* mask) {
  const float mean = job.mean[v], rstd = job.rstd[v];
  const float scale = kDrops ? static_cast<float>(job.mask->scale) : 1.0F;
  Bf16* const out = job.out + v * job.dim;
  for_columns(job.dim, [&](auto columns, int64_t d) {
    auto value =
        (columns.get(x + d) - mean) * rstd * columns.get(job.weight + d) +
        columns.get(job.bias + d);
    if (kDrops) value = dropped<decltype(columns)>(mask, d, scale, value);
    columns.put(out + d, value);
  });
}

// Row v back through dropout and the norm's own factors: its gradient into
// `grad`, what the norm made of the blend into `normalized`; adds to the
// gradients of the norm's parameters. Gives the means of the scaled gradient
// and of its product with the normalized row.
struct Moments {
  float gradient, correlation;
};

template <bool kDrops>
inline Moments undo_scale(const LayerRowsBackward& job, int64_t v,
                          const uint64_t* mask, const float* wide, float* grad,
                          float* normalized) {
  const Bf16* const h = job.h + v * job.dim;
  const Bf16* const m = job.m + v * job.dim;
  const Bf16* const grad_out = job.grad_out + v * job.dim;
  const float mean = job.mean[v], rstd = job.rstd[v];
  const float scale = kDrops ? static_cast<float>(job.mask->scale) : 1.0F;
  ColumnSum sum, product;
  for_columns(job.dim, [&](auto columns, int64_t d) {
    auto g = columns.get(grad_out + d);
    if (kDrops) g = dropped<decltype(columns)>(mask, d, scale, g);
    const auto sums = columns.get(m + d);
    const auto x = sums + columns.get(wide + d) * (columns.get(h + d) - sums);
    const auto y = (x - mean) * rstd;
    columns.put(job.grad_weight + d, columns.get(job.grad_weight + d) + g * y);
    columns.put(job.grad_bias + d, columns.get(job.grad_bias + d) + g);
    const auto scaled = g * columns.get(job.weight + d);
    sum.add(scaled);
    product.add(scaled * y);
    columns.put(grad + d, scaled);
    columns.put(normalized + d, y);
  });
  const float inverse = 1.0F / static_cast<float>(job.dim);
  return {sum.total() * inverse, product.total() * inverse};
}

// Row v back through the rest of the norm and the blend. `products` may be
// `normalized`.
inline void undo_blend(const LayerRowsBackward& job, int64_t v,
                       const Moments& means, const float* wide,
                       const float* scaled, const float* normalized,
                       float* products) {
  const Bf16* const h = job.h + v * job.dim;
  const Bf16* const m = job.m + v * job.dim;
  float* const grad_h = job.grad_h + v * job.dim;
  float* const grad_m = job.grad_m + v * job.dim;
  const float rstd = job.rstd[v];
  for_columns(job.dim, [&](auto columns, int64_t d) {
    const auto grad = rstd * (columns.get(scaled + d) - means.gradient -
                              columns.get(normalized + d) * means.correlation);
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
void finish_rows(const LayerRowsForward& job, const Room& room) {
  const float inverse = 1.0F / static_cast<float>(job.dim);
  for_few_rows(job.rows, [&](int64_t begin, int64_t rows) {
    make_masks(job, begin, rows, room);
    for (int64_t r = 0; r < rows; ++r) {
      float* const x = room.first + r * job.dim;
      job.mean[begin + r] = blend(job, begin + r, room.wide, x) * inverse;
    }
    for (int64_t r = 0; r < rows; ++r) {
      const float* const x = room.first + r * job.dim;
      const float variance =
          squares_from(x, job.dim, job.mean[begin + r]) * inverse;
      job.rstd[begin + r] =
          1.0F / std::sqrt(variance + static_cast<float>(job.eps));
    }
    for (int64_t r = 0; r < rows; ++r) {
      normalize<kDrops>(job, begin + r, room.first + r * job.dim,
                        room.masks + r * room.words);
    }
  });
}

template <bool kDrops>
void undo_rows(const LayerRowsBackward& job, const Room& room) {
  for_few_rows(job.rows, [&](int64_t begin, int64_t rows) {
    make_masks(job, begin, rows, room);
    Moments means[kFewRows];
    for (int64_t r = 0; r < rows; ++r) {
      expand(job, begin + r, room.wide);
      means[r] = undo_scale<kDrops>(job, begin + r, room.masks + r * room.words,
                                    room.wide, room.first + r * job.dim,
                                    room.second + r * job.dim);
    }
    for (int64_t r = 0; r < rows; ++r) {
      expand(job, begin + r, room.wide);
      float* const normalized = room.second + r * job.dim;
      undo_blend(job, begin + r, means[r], room.wide, room.first + r * job.dim,
                 normalized, normalized);
    }
  });
}

}  // namespace

void layer_rows_forward(const LayerRowsForward& job, float* scratch) {
  const Room room(job, scratch);
  if (job.mask != nullptr) {
    finish_rows<true>(job, room);
  } else {
    finish_rows<false>(job, room);
  }
}

void layer_rows_backward(const LayerRowsBackward& job, float* scratch) {
  const Room room(job, scratch);
  if (job.mask != nullptr) {
    undo_rows<true>(job, room);
  } else {
    undo_rows<false>(job, room);
  }
}

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
