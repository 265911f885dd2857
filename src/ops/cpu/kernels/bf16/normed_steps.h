#pragma once
#include <cmath>

#include "ops/cpu/kernels/bf16/columns.h"
#include "ops/cpu/kernels/bf16/normed_rows.h"
#include "ops/cpu/kernels/keep_bits.h"

// The steps that all normed rows have in common. For kernel sources alone.
namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

constexpr int64_t kWordBits = 64;

// The scratch of a call.
struct Room {
  Room(int64_t dim, float* scratch)
      : words((dim + kWordBits - 1) / kWordBits),
        masks(reinterpret_cast<uint64_t*>(scratch)),
        gate(scratch + 2 * kFewRows * words),
        wide(gate + dim),
        first(wide + dim),
        second(first + kFewRows * dim) {}

  const int64_t words;    // of the mask of a row
  uint64_t* const masks;  // [kFewRows, words]
  float* const gate;      // [dim], at most: gates of a row
  float* const wide;      // [dim], these in all columns that they open
  float* const first;     // [kFewRows, dim]
  float* const second;    // [kFewRows, dim]
};

inline void make_masks(const NormedRows& job, int64_t begin, int64_t rows,
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

inline float squares_from(const float* x, int64_t dim, float mean) {
  ColumnSum sum;
  for_columns(dim, [&](auto columns, int64_t d) {
    const auto away = columns.get(x + d) - mean;
    sum.add(away * away);
  });
  return sum.total();
}

template <bool kDrops>
inline void normalize(const NormedRowsForward& job, int64_t v, const float* x,
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

// All rows forward. start(v, x) sets the row that is to be normalized and gives
// its sum. The steps of a few rows take turns, for each waits for the sum of
// the one before.
template <bool kDrops, typename Start>
void normalize_all(const NormedRowsForward& job, const Room& room,
                   const Start& start) {
  const float inverse = 1.0F / static_cast<float>(job.dim);
  for_few_rows(job.rows, [&](int64_t begin, int64_t rows) {
    make_masks(job, begin, rows, room);
    for (int64_t r = 0; r < rows; ++r) {
      job.mean[begin + r] =
          start(begin + r, room.first + r * job.dim) * inverse;
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

// Means over a row of the scaled gradient and of its product with the
// normalized row.
struct RowMeans {
  float gradient, correlation;
};

// Row v back through dropout and the norm's own factors: the scaled gradient
// and, from x_at(columns, d), the normalized row; adds to the gradients of the
// norm's parameters.
template <bool kDrops, typename X>
inline RowMeans undo_scale(const NormedRowsBackward& job, int64_t v,
                           const uint64_t* mask, const X& x_at, float* scaled,
                           float* normalized) {
  const Bf16* const grad_out = job.grad_out + v * job.dim;
  const float mean = job.mean[v], rstd = job.rstd[v];
  const float scale = kDrops ? static_cast<float>(job.mask->scale) : 1.0F;
  ColumnSum sum, product;
  for_columns(job.dim, [&](auto columns, int64_t d) {
    auto grad = columns.get(grad_out + d);
    if (kDrops) grad = dropped<decltype(columns)>(mask, d, scale, grad);
    const auto y = (x_at(columns, d) - mean) * rstd;
    float* const of_weight = job.grad_weight + d;
    float* const of_bias = job.grad_bias + d;
    columns.put(of_weight, columns.get(of_weight) + grad * y);
    columns.put(of_bias, columns.get(of_bias) + grad);
    const auto share = grad * columns.get(job.weight + d);
    sum.add(share);
    product.add(share * y);
    columns.put(scaled + d, share);
    columns.put(normalized + d, y);
  });
  const float inverse = 1.0F / static_cast<float>(job.dim);
  return {sum.total() * inverse, product.total() * inverse};
}

// The gradient of columns of x from those of the normalized row.
template <typename Columns>
inline typename Columns::Value undo_means(const Columns& columns,
                                          const RowMeans& means, float rstd,
                                          const float* scaled,
                                          const float* normalized) {
  return rstd * (columns.get(scaled) - means.gradient -
                 columns.get(normalized) * means.correlation);
}

// All rows back: undo(v, mask, scaled, normalized) gives the means of a row,
// finish(v, means, mask, scaled, normalized) takes it the rest of the way.
template <typename Undo, typename Finish>
void undo_all(const NormedRowsBackward& job, const Room& room, const Undo& undo,
              const Finish& finish) {
  for_few_rows(job.rows, [&](int64_t begin, int64_t rows) {
    make_masks(job, begin, rows, room);
    RowMeans means[kFewRows];
    for (int64_t r = 0; r < rows; ++r) {
      means[r] = undo(begin + r, room.masks + r * room.words,
                      room.first + r * job.dim, room.second + r * job.dim);
    }
    for (int64_t r = 0; r < rows; ++r) {
      finish(begin + r, means[r], room.masks + r * room.words,
             room.first + r * job.dim, room.second + r * job.dim);
    }
  });
}

}  // namespace
}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
