#include "core/row_table.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cstring>

#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::core {
namespace {

constexpr int64_t kChunksPerBlock = 32;
constexpr int64_t kGatheredPerBlock = 4096;

bool same_bits(const float* a, const float* b, int64_t count) {
  return std::memcmp(a, b, static_cast<size_t>(count) * sizeof(float)) == 0;
}

}  // namespace

RowTable RowTable::of(const at::Tensor& rows, const RowTable* like) {
  const at::Tensor values = rows.contiguous();
  RowTable out(values.size(1));
  out.num_rows_ = values.size(0);
  out.chunks_.resize(chunks_of(out.num_rows_));
  const float* const value = values.data_ptr<float>();
  const int64_t chunk_values = kRowsPerChunk * out.width_;
  parallel_ranges(
      out.chunks_.size(), kChunksPerBlock, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
          const int64_t count =
              std::min(chunk_values, values.numel() - c * chunk_values);
          const float* const from = value + c * chunk_values;
          const bool is_kept = like != nullptr && c < like->chunks_.size() &&
                               same_bits(like->chunks_[c].data(), from, count);
          if (is_kept) {
            out.chunks_.set(c, like->chunks_.shared(c));
            continue;
          }
          auto chunk =
              std::make_shared<Chunk>(static_cast<size_t>(chunk_values), 0.0f);
          std::copy_n(from, count, chunk->begin());
          out.chunks_.set(c, std::move(chunk));
        }
      });
  return out;
}

at::Tensor RowTable::gathered(const std::vector<int64_t>& rows) const {
  at::Tensor out =
      at::empty({static_cast<int64_t>(rows.size()), width_}, at::kFloat);
  float* const to = out.data_ptr<float>();
  parallel_ranges(out.size(0), kGatheredPerBlock,
                  [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) {
                      std::copy_n(row(rows[static_cast<size_t>(i)]), width_,
                                  to + i * width_);
                    }
                  });
  return out;
}

at::Tensor RowTable::all() const {
  at::Tensor out = at::empty({num_rows_, width_}, at::kFloat);
  float* const to = out.data_ptr<float>();
  const int64_t chunk_values = kRowsPerChunk * width_;
  parallel_ranges(
      chunks_.size(), kChunksPerBlock, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
          std::copy_n(chunks_[c].begin(),
                      std::min(chunk_values, out.numel() - c * chunk_values),
                      to + c * chunk_values);
        }
      });
  return out;
}

RowTable RowTable::moved(const RowMoves& moves,
                         const MovedVersion<RowTable>* known) const {
  if (num_rows_ == 0) return *this;
  RowTable out(width_);
  out.num_rows_ = moves.num_rows;
  out.zeros_ = zeros_;
  out.chunks_.resize(static_cast<int64_t>(moves.chunks.size()));
  parallel_ranges(
      out.chunks_.size(), kChunksPerBlock, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
          const RowMoves::Source& source = moves.chunks[static_cast<size_t>(c)];
          if (source.whole >= 0) {
            out.chunks_.set(c, chunks_.shared(source.whole));
            continue;
          }
          if (known != nullptr &&
              is_unchanged(source, known->before.chunks_, chunks_)) {
            out.chunks_.set(c, known->after.chunks_.shared(c));
            continue;
          }
          auto chunk = std::make_shared<Chunk>(
              static_cast<size_t>(kRowsPerChunk * width_), 0.0f);
          float* to = chunk->data();
          for (const int64_t r : source.rows) {
            to = std::copy_n(row(r), width_, to);
          }
          out.chunks_.set(c, std::move(chunk));
        }
      });
  return out;
}

void RowTable::Editor::grow_to(int64_t num_rows) {
  const auto values = static_cast<size_t>(kRowsPerChunk * table_.width_);
  while (table_.chunks_.size() < chunks_of(num_rows)) {
    chunks_.append(std::make_shared<Chunk>(values, 0.0f));
  }
  table_.num_rows_ = std::max(table_.num_rows_, num_rows);
}

void RowTable::Editor::clear(int64_t chunk) {
  if (!table_.zeros_) {
    table_.zeros_ = std::make_shared<const Chunk>(
        static_cast<size_t>(kRowsPerChunk * table_.width_), 0.0f);
  }
  chunks_.replace(chunk, table_.zeros_);
}

std::vector<int64_t> RowTable::Editor::write(const std::vector<int64_t>& rows,
                                             const at::Tensor& values,
                                             int64_t first_new) {
  const at::Tensor from = values.contiguous();
  const float* value = from.data_ptr<float>();
  std::vector<int64_t> changed;
  for (const int64_t r : rows) {
    const bool is_same = same_bits(table_.row(r), value, table_.width_);
    if (!is_same) std::copy_n(value, table_.width_, row(r));
    if (!is_same || r >= first_new) changed.push_back(r);
    value += table_.width_;
  }
  return changed;
}

}  // namespace ordered_gnn::core
