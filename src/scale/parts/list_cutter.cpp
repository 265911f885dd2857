#include "scale/parts/list_cutter.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <limits>

namespace ordered_gnn::scale {
namespace {

// Writes lists of a run of parts, which are in memory meanwhile.
class ListCutter {
 public:
  ListCutter(const StoredLists& lists, const PartsPlan& plan,
             const std::vector<HaloCounter*>& counters, PartsWriter& writer)
      : lists_(lists),
        plan_(plan),
        counters_(counters),
        writer_(writer),
        sizes_(plan.bounds.size() - 1) {}

  std::vector<PartSize> run(int64_t most_entries) {
    count_entries();
    const auto parts = static_cast<int64_t>(sizes_.size());
    for (int64_t first = 0; first < parts;) {
      int64_t last = first, entries = 0;
      do {
        entries += sizes_[last].in_edges + sizes_[last].out_edges;
        ++last;
      } while (last < parts &&
               entries + sizes_[last].in_edges + sizes_[last].out_edges <=
                   most_entries);
      write(first, last);
      first = last;
    }
    return std::move(sizes_);
  }

 private:
  int64_t part_of(int64_t new_id) const {
    return std::upper_bound(plan_.bounds.begin(), plan_.bounds.end(), new_id) -
           plan_.bounds.begin() - 1;
  }

  void count_entries() {
    const int64_t* const new_id = plan_.new_id.data_ptr<int64_t>();
    const auto count = [&](const ListStore& store, int64_t PartSize::*size) {
      for_rows(store,
               [&](int64_t v, const uint32_t* begin, const uint32_t* end) {
                 sizes_[part_of(new_id[v])].*size += end - begin;
               });
    };
    count(lists_.in, &PartSize::in_edges);
    count(lists_.out, &PartSize::out_edges);
  }

  // Nodes of a part come in the order of their original ids, as its rows are.
  std::vector<PartRows> rows_of(const ListStore& store, int64_t first,
                                int64_t last, int64_t PartSize::*size) const {
    const int64_t* const new_id = plan_.new_id.data_ptr<int64_t>();
    std::vector<PartRows> rows(last - first);
    for (int64_t p = first; p < last; ++p) {
      rows[p - first].column.reserve(sizes_[p].*size);
      rows[p - first].rowptr.reserve(plan_.bounds[p + 1] - plan_.bounds[p] + 1);
    }
    for_rows(store, [&](int64_t v, const uint32_t* begin, const uint32_t* end) {
      if (new_id[v] < plan_.bounds[first] || new_id[v] >= plan_.bounds[last]) {
        return;
      }
      PartRows& own = rows[part_of(new_id[v]) - first];
      for (; begin < end; ++begin) own.column.push_back(new_id[*begin]);
      own.rowptr.push_back(static_cast<int64_t>(own.column.size()));
    });
    return rows;
  }

  Adjacency adjacency(const PartRows& rows) const {
    const bool narrow =
        plan_.original.numel() <= std::numeric_limits<int32_t>::max();
    const auto tensor = [](const std::vector<int64_t>& values,
                           at::ScalarType type) {
      at::Tensor out = at::empty({static_cast<int64_t>(values.size())}, type);
      if (type == at::kInt) {
        std::transform(
            values.begin(), values.end(), out.data_ptr<int32_t>(),
            [](int64_t value) { return static_cast<int32_t>(value); });
      } else {
        std::copy(values.begin(), values.end(), out.data_ptr<int64_t>());
      }
      return out;
    };
    return {tensor(rows.rowptr, at::kLong),
            tensor(rows.column, narrow ? at::kInt : at::kLong)};
  }

  void write(int64_t first, int64_t last) {
    std::vector<PartRows> in =
        rows_of(lists_.in, first, last, &PartSize::in_edges);
    std::vector<PartRows> out =
        rows_of(lists_.out, first, last, &PartSize::out_edges);
    for (int64_t p = first; p < last; ++p) {
      PartRows& own_in = in[p - first];
      PartRows& own_out = out[p - first];
      sizes_[p].cut_edges = std::count_if(
          own_in.column.begin(), own_in.column.end(), [&](int64_t other) {
            return other < plan_.bounds[p] || other >= plan_.bounds[p + 1];
          });
      for (HaloCounter* const counter : counters_) {
        const HaloRows before = counter->rows();
        counter->add(own_in, own_out);
        if (counter != counters_.front()) continue;
        sizes_[p].in_halo = counter->rows().in - before.in;
        sizes_[p].out_halo = counter->rows().out - before.out;
      }
      writer_.add_lists(p, adjacency(own_in), adjacency(own_out));
      own_in = own_out = {};
    }
  }

  const StoredLists& lists_;
  const PartsPlan& plan_;
  const std::vector<HaloCounter*>& counters_;
  PartsWriter& writer_;
  std::vector<PartSize> sizes_;
};

}  // namespace

HaloCounter::HaloCounter(const PartsPlan& plan, int64_t ranks,
                         const at::Tensor& trained)
    : plan_(plan),
      bounds_(rank_bounds(plan.bounds, ranks)),
      is_trained_(plan.original.numel(), false),
      in_(plan.original.numel(), -1),
      out_(in_),
      last_in_(in_),
      last_out_(in_) {
  const at::Tensor nodes = trained.contiguous();
  const int64_t* const new_id = plan.new_id.data_ptr<int64_t>();
  for (int64_t i = 0; i < nodes.numel(); ++i) {
    is_trained_[new_id[nodes.data_ptr<int64_t>()[i]]] = true;
  }
}

void HaloCounter::add(const PartRows& in, const PartRows& out) {
  while (part_ >= bounds_[rank_ + 1]) ++rank_;
  const int64_t first = plan_.bounds[part_];
  for (size_t r = 0; r + 1 < in.rowptr.size(); ++r) {
    const bool heard_by_loss = is_trained_[first + static_cast<int64_t>(r)];
    for (int64_t e = in.rowptr[r]; e < in.rowptr[r + 1]; ++e) {
      const int64_t other = in.column[e];
      if (!is_outside(other)) continue;
      if (see(other, in_)) ++rows_.in;
      if (heard_by_loss && see(other, last_in_)) ++rows_.last_in;
    }
  }
  for (const int64_t other : out.column) {
    if (!is_outside(other)) continue;
    if (see(other, out_)) ++rows_.out;
    if (is_trained_[other] && see(other, last_out_)) ++rows_.last_out;
  }
  ++part_;
}

std::vector<PartSize> cut_stored_lists(
    const StoredLists& lists, const PartsPlan& plan, int64_t most_entries,
    const std::vector<HaloCounter*>& counters, PartsWriter& writer) {
  return ListCutter(lists, plan, counters, writer).run(most_entries);
}

}  // namespace ordered_gnn::scale
