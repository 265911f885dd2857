#include "scale/ranks/node_gather.h"

#include <ATen/Functions.h>

#include <numeric>
#include <utility>

namespace ordered_gnn::scale {
namespace {

std::vector<int64_t> wanted_places(const at::Tensor& original,
                                   const std::vector<bool>& is_wanted) {
  const int64_t* const id = original.data_ptr<int64_t>();
  std::vector<int64_t> places;
  for (int64_t v = 0; v < original.numel(); ++v) {
    if (is_wanted[static_cast<size_t>(id[v])]) places.push_back(v);
  }
  return places;
}

}  // namespace

NodeGather::NodeGather(Group& group, const PartsManifest& manifest,
                       const std::vector<int64_t>& bounds, at::Tensor original)
    : group_(group), original_(std::move(original)) {
  for (const int64_t part : bounds) first_.push_back(manifest.bounds[part]);
  std::vector<int64_t> counts;
  for (size_t r = 0; r + 1 < first_.size(); ++r) {
    counts.push_back(first_[r + 1] - first_[r]);
  }
  all_original_ = collect(original_, counts);
}

// One rank after the other.
at::Tensor NodeGather::collect(const at::Tensor& own,
                               const std::vector<int64_t>& counts) const {
  if (!is_first()) {
    if (own.numel() > 0) group_.send(own, 0);
    return {};
  }
  std::vector<int64_t> shape = own.sizes().vec();
  shape[0] = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  const at::Tensor all = at::empty(shape, own.options());
  int64_t row = 0;
  for (int64_t r = 0; r < group_.size(); ++r) {
    const int64_t count = counts[static_cast<size_t>(r)];
    at::Tensor piece = all.narrow(0, row, count);
    if (r == 0) {
      piece.copy_(own);
    } else if (piece.numel() > 0) {
      group_.receive(piece, r);
    }
    row += count;
  }
  return all;
}

at::Tensor NodeGather::rows(const at::Tensor& own) const {
  std::vector<int64_t> counts;
  for (size_t r = 0; r + 1 < first_.size(); ++r) {
    counts.push_back(first_[r + 1] - first_[r]);
  }
  const at::Tensor all = collect(own, counts);
  if (!is_first()) return {};
  return at::empty_like(all).index_copy_(0, all_original_, all);
}

NodeGather::Some NodeGather::some_rows(
    const at::Tensor& own, const std::vector<bool>& is_wanted) const {
  const std::vector<int64_t> places = wanted_places(original_, is_wanted);
  const at::Tensor chosen =
      own.index_select(0, at::tensor(places, at::kLong)).contiguous();
  std::vector<int64_t> counts(static_cast<size_t>(group_.size()), 0);
  Some out;
  if (is_first()) {
    out.place.assign(static_cast<size_t>(nodes()), -1);
    const int64_t* const id = all_original_.data_ptr<int64_t>();
    int64_t row = 0;
    for (size_t r = 0; r + 1 < first_.size(); ++r) {
      for (int64_t v = first_[r]; v < first_[r + 1]; ++v) {
        if (!is_wanted[static_cast<size_t>(id[v])]) continue;
        out.place[static_cast<size_t>(id[v])] = row++;
        ++counts[r];
      }
    }
  }
  out.rows = collect(chosen, counts);
  return out;
}

}  // namespace ordered_gnn::scale
