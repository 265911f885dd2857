#include "scale/ranks/logits_gather.h"

#include <torch/types.h>

#include <utility>

namespace ordered_gnn::scale {

LogitsGather::LogitsGather(Group& group, const std::vector<int64_t>& bounds,
                           const std::vector<int64_t>& rows, int64_t classes,
                           int64_t first_tag)
    : group_(group), classes_(classes), first_tag_(first_tag), bounds_(bounds) {
  TORCH_CHECK(static_cast<int64_t>(rows.size()) ==
                  bounds[group.rank() + 1] - bounds[group.rank()],
              "a rank has rows of parts that are not its own");
  at::Tensor own = torch::tensor(rows, torch::kLong);
  if (group_.rank() > 0) {
    group_.send(own, 0);
    return;
  }
  begin_ = {0};
  for (int64_t r = 0; r < group_.size(); ++r) {
    at::Tensor counts = own;
    if (r > 0) {
      counts = torch::empty({bounds[r + 1] - bounds[r]}, torch::kLong);
      group_.receive(counts, r);
    }
    const int64_t* const count = counts.data_ptr<int64_t>();
    for (int64_t i = 0; i < counts.numel(); ++i) {
      begin_.push_back(begin_.back() + count[i]);
    }
  }
}

void LogitsGather::begin() {
  const std::lock_guard<std::mutex> lock(mutex_);
  transfers_.clear();
  given_.clear();
  if (group_.rank() > 0) return;
  all_ = torch::empty({begin_.back(), classes_});
  for (int64_t r = 1; r < group_.size(); ++r) {
    for (int64_t p = bounds_[r]; p < bounds_[r + 1]; ++p) {
      const at::Tensor rows = rows_of(p);
      if (rows.size(0) == 0) continue;
      transfers_.push_back(group_.start_receive(rows, r, first_tag_ + p));
    }
  }
}

void LogitsGather::give(int64_t place, const at::Tensor& logits) {
  const int64_t part = bounds_[group_.rank()] + place;
  if (group_.rank() == 0) {
    rows_of(part).copy_(logits);
    return;
  }
  if (logits.size(0) == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  given_.push_back(logits.contiguous());
  transfers_.push_back(
      group_.start_send(given_.back(), /*to=*/0, first_tag_ + part));
}

at::Tensor LogitsGather::rows_of(int64_t part) const {
  return all_.narrow(0, begin_[part], begin_[part + 1] - begin_[part]);
}

at::Tensor LogitsGather::take() {
  for (const auto& transfer : transfers_) transfer->wait();
  transfers_.clear();
  given_.clear();
  return std::exchange(all_, at::Tensor());
}

}  // namespace ordered_gnn::scale
