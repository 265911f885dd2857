#include "data/live/node_names.h"

#include <mutex>
#include <optional>

#include "data/formats/csv/nodes.h"

namespace ordered_gnn::data {

NodeNames::NodeNames(std::vector<std::string> names, int64_t num_rows)
    : first_(std::move(names)), num_first_(num_rows) {
  rows_.reserve(first_.size());
  for (size_t i = 0; i < first_.size(); ++i) {
    rows_[first_[i]].push_back(static_cast<int64_t>(i));
  }
}

int64_t NodeNames::size() const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  return num_first_ + static_cast<int64_t>(more_.size());
}

std::string NodeNames::of(int64_t row) const {
  if (row < num_first_) {
    return first_.empty() ? std::to_string(row)
                          : first_[static_cast<size_t>(row)];
  }
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  return more_[static_cast<size_t>(row - num_first_)];
}

int64_t NodeNames::number_of(std::string_view name) const {
  if (!first_.empty()) return -1;
  const std::optional<int64_t> number = plain_number(name);
  return number && *number < num_first_ ? *number : -1;
}

void NodeNames::append(const std::vector<std::string>& names) {
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  for (const std::string& name : names) {
    const int64_t row = num_first_ + static_cast<int64_t>(more_.size());
    more_.push_back(name);
    rows_[more_.back()].push_back(row);
  }
}

void NodeNames::truncate(int64_t num_rows) {
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  while (num_first_ + static_cast<int64_t>(more_.size()) > num_rows) {
    const auto found = rows_.find(more_.back());
    found->second.pop_back();
    if (found->second.empty()) rows_.erase(found);
    more_.pop_back();
  }
}

}  // namespace ordered_gnn::data
