#include "core/list_table.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::core {
namespace {

constexpr int64_t kListChunksPerBlock = 64;

// A chunk is copied for every version that changes it: doubling it each time
// would keep as much room that nobody uses.
template <typename Value>
void make_room(std::vector<Value>& list) {
  constexpr size_t kSpareEntries = 32;
  if (list.size() == list.capacity()) list.reserve(list.size() + kSpareEntries);
}

// Chunks of rows that lie behind each other.
Chunked<ListTable::Chunk> chunks_from(const at::Tensor& rowptr,
                                      const at::Tensor& columns,
                                      const float* values) {
  const int64_t num_rows = rowptr.numel() - 1;
  const int64_t* const begin_of = rowptr.data_ptr<int64_t>();
  const int32_t* const col = columns.data_ptr<int32_t>();
  Chunked<ListTable::Chunk> out;
  out.resize(chunks_of(num_rows));
  parallel_ranges(
      out.size(), kListChunksPerBlock, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
          const int64_t first = c * kRowsPerChunk;
          const int64_t last = std::min(first + kRowsPerChunk, num_rows);
          auto chunk = std::make_shared<ListTable::Chunk>();
          for (int64_t r = 0; r <= kRowsPerChunk; ++r) {
            chunk->begin[static_cast<size_t>(r)] = static_cast<uint32_t>(
                begin_of[std::min(first + r, last)] - begin_of[first]);
          }
          chunk->col.assign(col + begin_of[first], col + begin_of[last]);
          if (values != nullptr) {
            chunk->value.assign(values + begin_of[first],
                                values + begin_of[last]);
          }
          out.set(c, std::move(chunk));
        }
      });
  return out;
}

}  // namespace

ListTable ListTable::of(const Adjacency& lists, const at::Tensor& values) {
  if (lists.col.scalar_type() != at::kInt) {
    fail("a graph that changes can have 2^31 - 1 nodes at most, not {}",
         lists.rowptr.numel() - 1);
  }
  ListTable out;
  out.num_rows_ = lists.rowptr.numel() - 1;
  out.num_entries_ = lists.col.numel();
  out.chunks_ =
      chunks_from(lists.rowptr, lists.col,
                  values.defined() ? values.data_ptr<float>() : nullptr);
  return out;
}

ListTable ListTable::of(const SparseRows& rows) {
  ListTable out;
  out.num_rows_ = rows.rowptr.numel() - 1;
  out.num_entries_ = rows.col.numel();
  out.chunks_ =
      chunks_from(rows.rowptr, rows.col, rows.value.data_ptr<float>());
  return out;
}

bool ListTable::has(int64_t row_at, int64_t column) const {
  const Row list = row(row_at);
  return std::binary_search(list.begin, list.end, static_cast<int32_t>(column));
}

Adjacency ListTable::all() const {
  Adjacency out{at::zeros({num_rows_ + 1}, at::kLong),
                at::empty({num_entries_}, at::kInt)};
  int64_t* const rowptr = out.rowptr.data_ptr<int64_t>();
  for (int64_t r = 0; r < num_rows_; ++r) {
    rowptr[r + 1] = rowptr[r] + row(r).size();
  }
  int32_t* const col = out.col.data_ptr<int32_t>();
  parallel_ranges(chunks_.size(), kListChunksPerBlock,
                  [&](int64_t begin, int64_t end) {
                    for (int64_t c = begin; c < end; ++c) {
                      std::copy(chunks_[c].col.begin(), chunks_[c].col.end(),
                                col + rowptr[c * kRowsPerChunk]);
                    }
                  });
  return out;
}

at::Tensor ListTable::all_values() const {
  at::Tensor out = at::empty({num_entries_}, at::kFloat);
  float* to = out.data_ptr<float>();
  for (int64_t c = 0; c < chunks_.size(); ++c) {
    to = std::copy(chunks_[c].value.begin(), chunks_[c].value.end(), to);
  }
  return out;
}

std::shared_ptr<const ListTable::Chunk> ListTable::moved_chunk(
    const RowMoves& moves, const RowMoves::Source& source,
    bool are_rows) const {
  const auto after = [&](int32_t column) {
    return are_rows ? static_cast<int32_t>(
                          moves.row_after[static_cast<size_t>(column)])
                    : column;
  };
  if (source.whole >= 0) {
    const std::vector<int32_t>& col = chunks_[source.whole].col;
    // Columns move down, by more the greater they are.
    const bool stays = std::all_of(col.begin(), col.end(), [&](int32_t column) {
      return after(column) == column;
    });
    if (stays) return chunks_.shared(source.whole);
    auto out = std::make_shared<Chunk>(chunks_[source.whole]);
    std::transform(col.begin(), col.end(), out->col.begin(), after);
    return out;
  }
  auto out = std::make_shared<Chunk>();
  size_t next = 0;
  for (const int64_t r : source.rows) {
    const Row list = row(r);
    std::transform(list.begin, list.end, std::back_inserter(out->col), after);
    if (list.value != nullptr) {
      out->value.insert(out->value.end(), list.value, list.value + list.size());
    }
    out->begin[++next] = static_cast<uint32_t>(out->col.size());
  }
  std::fill(out->begin.begin() + static_cast<std::ptrdiff_t>(next),
            out->begin.end(), static_cast<uint32_t>(out->col.size()));
  return out;
}

ListTable ListTable::moved(const RowMoves& moves, bool are_rows,
                           const MovedVersion<ListTable>* known) const {
  if (num_rows_ == 0) return *this;
  ListTable out;
  out.num_rows_ = moves.num_rows;
  out.num_entries_ = num_entries_;
  out.chunks_.resize(static_cast<int64_t>(moves.chunks.size()));
  parallel_ranges(
      out.chunks_.size(), kListChunksPerBlock, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
          const RowMoves::Source& source = moves.chunks[static_cast<size_t>(c)];
          const bool is_known =
              known != nullptr &&
              is_unchanged(source, known->before.chunks_, chunks_);
          out.chunks_.set(c, is_known ? known->after.chunks_.shared(c)
                                      : moved_chunk(moves, source, are_rows));
        }
      });
  return out;
}

void ListTable::Editor::grow_to(int64_t num_rows) {
  while (table_.chunks_.size() < chunks_of(num_rows)) {
    chunks_.append(std::make_shared<Chunk>());
  }
  table_.num_rows_ = std::max(table_.num_rows_, num_rows);
}

void ListTable::Editor::resize_row(Chunk& chunk, int64_t row, int64_t by) {
  for (auto r = static_cast<size_t>(row % kRowsPerChunk) + 1;
       r < chunk.begin.size(); ++r) {
    chunk.begin[r] = static_cast<uint32_t>(chunk.begin[r] + by);
  }
  table_.num_entries_ += by;
}

bool ListTable::Editor::insert(int64_t row, int64_t column) {
  if (table_.has(row, column)) return false;
  Chunk& chunk = chunks_[row / kRowsPerChunk];
  make_room(chunk.col);
  const auto at = static_cast<size_t>(row % kRowsPerChunk);
  const auto begin = chunk.col.begin() + chunk.begin[at];
  const auto end = chunk.col.begin() + chunk.begin[at + 1];
  const auto value = static_cast<int32_t>(column);
  chunk.col.insert(std::lower_bound(begin, end, value), value);
  resize_row(chunk, row, 1);
  return true;
}

bool ListTable::Editor::put(int64_t row, int64_t column, float value) {
  const auto at = static_cast<size_t>(row % kRowsPerChunk);
  const auto wanted = static_cast<int32_t>(column);
  const Row list = table_.row(row);
  const int32_t* const found = std::lower_bound(list.begin, list.end, wanted);
  const bool has_column = found != list.end && *found == wanted;
  const auto place = static_cast<std::ptrdiff_t>(found - list.begin);
  if (has_column && list.value[place] == value) return false;
  Chunk& chunk = chunks_[row / kRowsPerChunk];
  const std::ptrdiff_t entry = chunk.begin[at] + place;
  if (has_column) {
    chunk.value[static_cast<size_t>(entry)] = value;
    return true;
  }
  make_room(chunk.col);
  make_room(chunk.value);
  chunk.col.insert(chunk.col.begin() + entry, wanted);
  chunk.value.insert(chunk.value.begin() + entry, value);
  resize_row(chunk, row, 1);
  return true;
}

bool ListTable::Editor::erase(int64_t row, int64_t column) {
  if (!table_.has(row, column)) return false;
  Chunk& chunk = chunks_[row / kRowsPerChunk];
  const auto at = static_cast<size_t>(row % kRowsPerChunk);
  const auto begin = chunk.col.begin() + chunk.begin[at];
  const auto end = chunk.col.begin() + chunk.begin[at + 1];
  const auto found = std::lower_bound(begin, end, static_cast<int32_t>(column));
  if (!chunk.value.empty()) {
    chunk.value.erase(chunk.value.begin() + (found - chunk.col.begin()));
  }
  chunk.col.erase(found);
  resize_row(chunk, row, -1);
  return true;
}

void ListTable::Editor::assign(int64_t row, const std::vector<int32_t>& columns,
                               const std::vector<float>& values) {
  Chunk& chunk = chunks_[row / kRowsPerChunk];
  const auto at = static_cast<size_t>(row % kRowsPerChunk);
  const auto begin = static_cast<std::ptrdiff_t>(chunk.begin[at]);
  const auto end = static_cast<std::ptrdiff_t>(chunk.begin[at + 1]);
  chunk.col.erase(chunk.col.begin() + begin, chunk.col.begin() + end);
  chunk.col.insert(chunk.col.begin() + begin, columns.begin(), columns.end());
  if (!values.empty() || !chunk.value.empty()) {
    chunk.value.erase(chunk.value.begin() + begin, chunk.value.begin() + end);
    chunk.value.insert(chunk.value.begin() + begin, values.begin(),
                       values.end());
  }
  resize_row(chunk, row, static_cast<int64_t>(columns.size()) - (end - begin));
}

}  // namespace ordered_gnn::core
