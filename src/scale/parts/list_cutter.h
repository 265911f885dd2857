#pragma once
#include <cstdint>
#include <vector>

#include "scale/parts/list_store.h"
#include "scale/parts/plan.h"
#include "scale/parts/writer.h"

namespace ordered_gnn::scale {

/// Who sends to a node, and to whom it sends.
struct StoredLists {
  ListStore in, out;

  void add(int64_t sender, int64_t receiver) {
    in.add(receiver, sender);
    out.add(sender, receiver);
  }
};

/// Calls see(v, begin, end) for the columns of every row of a store, in order.
template <typename See>
void for_rows(const ListStore& store, const See& see) {
  for (int64_t b = 0; b < store.num_buckets(); ++b) {
    const ListStore::Rows rows = store.read(b);
    for (int64_t r = 0; r < rows.size(); ++r) {
      see(rows.first + r, rows.column.data() + rows.rowptr[r],
          rows.column.data() + rows.rowptr[r + 1]);
    }
  }
}

/// Lists of a part's rows, columns being new ids.
struct PartRows {
  std::vector<int64_t> rowptr = {0};
  std::vector<int64_t> column;
};

/// halo_rows() of lists that come part by part.
class HaloCounter {
 public:
  /// @param trained  [n] int64, the training nodes.
  HaloCounter(const PartsPlan& plan, int64_t ranks, const at::Tensor& trained);

  /// The next part, all in order.
  void add(const PartRows& in, const PartRows& out);
  const HaloRows& rows() const { return rows_; }

 private:
  using Marks = std::vector<int32_t>;  ///< by new id: the last rank that saw it

  bool see(int64_t other, Marks& seen) const {
    if (seen[other] == rank_) return false;
    seen[other] = static_cast<int32_t>(rank_);
    return true;
  }
  bool is_outside(int64_t other) const {
    return other < plan_.bounds[bounds_[rank_]] ||
           other >= plan_.bounds[bounds_[rank_ + 1]];
  }

  const PartsPlan& plan_;
  const std::vector<int64_t> bounds_;
  std::vector<bool> is_trained_;  ///< by new id
  Marks in_, out_, last_in_, last_out_;
  int64_t part_ = 0, rank_ = 0;
  HaloRows rows_;
};

/// Writes the lists of all parts, as many parts at a time as have fewer entries
/// than are allowed; a part's are in memory in any case.
/// @param counters  are shown all parts.
/// @return what the parts hold and need, but for halos.
std::vector<PartSize> cut_stored_lists(
    const StoredLists& lists, const PartsPlan& plan, int64_t most_entries,
    const std::vector<HaloCounter*>& counters, PartsWriter& writer);

}  // namespace ordered_gnn::scale
