#include "scale/ranks/logits_gather.h"

#include <torch/types.h>

#include <utility>

namespace ordered_gnn::scale {
namespace {

std::vector<int64_t> ranks_of_parts(const std::vector<int64_t>& bounds) {
  std::vector<int64_t> ranks;
  for (size_t r = 0; r + 1 < bounds.size(); ++r) {
    ranks.insert(ranks.end(), bounds[r + 1] - bounds[r],
                 static_cast<int64_t>(r));
  }
  return ranks;
}

}  // namespace

LogitsGather::LogitsGather(Group& group, const std::vector<int64_t>& bounds,
                           const std::vector<int64_t>& rows, int64_t classes,
                           int64_t first_tag)
    : group_(group),
      classes_(classes),
      first_tag_(first_tag),
      first_(bounds[group.rank()]),
      of_(ranks_of_parts(bounds)) {
  TORCH_CHECK(
      static_cast<int64_t>(rows.size()) == bounds[group.rank() + 1] - first_,
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
  for (size_t p = 0; p < of_.size(); ++p) {
    const int64_t rows = begin_[p + 1] - begin_[p];
    if (of_[p] == 0 || rows == 0) continue;
    transfers_.push_back(
        group_.start_receive(all_.narrow(0, begin_[p], rows), of_[p],
                             first_tag_ + static_cast<int64_t>(p)));
  }
}

void LogitsGather::give(int64_t place, const at::Tensor& logits) {
  const int64_t part = first_ + place;
  if (group_.rank() == 0) {
    all_.narrow(0, begin_[part], begin_[part + 1] - begin_[part]).copy_(logits);
    return;
  }
  if (logits.size(0) == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  given_.push_back(logits.contiguous());
  transfers_.push_back(
      group_.start_send(given_.back(), /*to=*/0, first_tag_ + part));
}

at::Tensor LogitsGather::take() {
  for (const auto& transfer : transfers_) transfer->wait();
  transfers_.clear();
  given_.clear();
  return std::exchange(all_, at::Tensor());
}

}  // namespace ordered_gnn::scale
