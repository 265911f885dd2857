#include "core/row_moves.h"

#include <algorithm>

namespace ordered_gnn::core {
namespace {

// Chunks that one run joins: with eight, at least seven eighths of the rows are
// used afterwards.
constexpr size_t kLongestRun = 8;
// One chunk in so many is worth the renumbering of all rows,
constexpr int64_t kWorthWhile = 128;
constexpr int64_t kLeastWon = 2;
// and one in so many is copied at a time.
constexpr int64_t kCopiedAtATime = 16;
constexpr int64_t kLeastCopied = 8;

class MovePlan {
 public:
  MovePlan(int64_t num_rows, const std::function<bool(int64_t)>& is_used)
      : num_rows_(num_rows),
        last_(chunks_of(num_rows) - 1),
        is_used_(is_used),
        copies_left_(std::max(kLeastCopied, last_ / kCopiedAtATime)) {
    for (int64_t c = 0; c < last_; ++c) count_used(c);
  }

  std::optional<RowMoves> made() {
    size_t at = 0;
    while (at < filled_.size()) {
      const size_t end = run_from(at);
      if (end > at + 1) {
        join(at, end);
        at = end;
      } else {
        chunks_.push_back({filled_[at++].chunk, {}});
      }
    }
    const auto kept = static_cast<int64_t>(chunks_.size());
    if (last_ - kept < std::max(kLeastWon, last_ / kWorthWhile)) {
      return std::nullopt;
    }
    chunks_.push_back({last_, {}});
    return numbered();
  }

 private:
  struct Filled {
    int64_t chunk;
    int64_t used;
  };

  void count_used(int64_t chunk) {
    int64_t used = 0;
    for (int64_t r = 0; r < kRowsPerChunk; ++r) {
      used += is_used_(chunk * kRowsPerChunk + r) ? 1 : 0;
    }
    if (used > 0) filled_.push_back({chunk, used});
  }

  // The end of a run that can do with a chunk less; `at` when there is none.
  size_t run_from(size_t at) {
    int64_t unused = 0;
    if (filled_[at].used == kRowsPerChunk) return at;
    for (size_t end = at; end < filled_.size() && end < at + kLongestRun;) {
      unused += kRowsPerChunk - filled_[end++].used;
      if (unused < kRowsPerChunk) continue;
      const auto copies = static_cast<int64_t>(end - at) - 1;
      if (copies > copies_left_) return at;
      copies_left_ -= copies;
      return end;
    }
    return at;
  }

  void join(size_t begin, size_t end) {
    RowMoves::Source next;
    for (size_t i = begin; i < end; ++i) {
      const int64_t first = filled_[i].chunk * kRowsPerChunk;
      for (int64_t r = first; r < first + kRowsPerChunk; ++r) {
        if (!is_used_(r)) continue;
        next.rows.push_back(r);
        if (next.rows.size() < static_cast<size_t>(kRowsPerChunk)) continue;
        chunks_.push_back(std::move(next));
        next = {};
      }
    }
    if (!next.rows.empty()) chunks_.push_back(std::move(next));
  }

  RowMoves numbered() {
    RowMoves out;
    out.row_after.assign(static_cast<size_t>(num_rows_), RowMoves::kDropped);
    for (size_t c = 0; c < chunks_.size(); ++c) {
      const RowMoves::Source& source = chunks_[c];
      int64_t to = static_cast<int64_t>(c) * kRowsPerChunk;
      for (const int64_t r : source.rows) {
        out.row_after[static_cast<size_t>(r)] = to++;
      }
      if (source.whole < 0) continue;
      const int64_t first = source.whole * kRowsPerChunk;
      const int64_t end = std::min(first + kRowsPerChunk, num_rows_);
      for (int64_t r = first; r < end; ++r) {
        out.row_after[static_cast<size_t>(r)] = to++;
      }
    }
    out.num_rows = out.row_after.back() + 1;
    out.chunks = std::move(chunks_);
    return out;
  }

  const int64_t num_rows_;
  const int64_t last_;  // the chunk that is appended to
  const std::function<bool(int64_t)>& is_used_;
  int64_t copies_left_;
  std::vector<Filled> filled_;  // chunks with used rows, without the last
  std::vector<RowMoves::Source> chunks_;
};

}  // namespace

RowMoves RowMoves::extended(int64_t num_rows_before) const {
  RowMoves out = *this;
  const auto known = static_cast<int64_t>(row_after.size());
  for (int64_t r = known; r < num_rows_before; ++r) {
    out.row_after.push_back(out.num_rows++);
  }
  for (int64_t c = chunks_of(known); c < chunks_of(num_rows_before); ++c) {
    out.chunks.push_back({c, {}});
  }
  return out;
}

std::optional<RowMoves> plan_row_moves(
    int64_t num_rows, const std::function<bool(int64_t)>& is_used) {
  if (num_rows <= kRowsPerChunk) return std::nullopt;
  return MovePlan(num_rows, is_used).made();
}

}  // namespace ordered_gnn::core
