#include "data/live/node_names.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "data/formats/csv/nodes.h"

namespace ordered_gnn::data {

NodeNames::NodeNames(std::vector<std::string> names, int64_t num_rows)
    : are_given_(!names.empty()),
      num_first_(num_rows),
      first_(std::move(names)) {
  if (are_given_) read_numbers();
  rows_.reserve(first_.size());
  for (size_t i = 0; i < first_.size(); ++i) {
    index(static_cast<int64_t>(i), first_[i]);
  }
}

// A graph of numbers that some nodes have left is written with names.
void NodeNames::read_numbers() {
  std::vector<int64_t> numbers;
  numbers.reserve(first_.size());
  int64_t greatest = -1;
  bool are_rising = true;
  for (const std::string& name : first_) {
    const std::optional<int64_t> number = plain_number(name);
    are_numbers_ = number.has_value();
    if (!are_numbers_) return;
    are_rising = are_rising && *number > greatest;
    greatest = std::max(greatest, *number);
    numbers.push_back(*number);
  }
  beyond_rows_ = std::max<int64_t>(0, greatest + 1 - num_first_);
  if (!are_rising) return;
  numbers_ = std::move(numbers);
  first_ = {};
}

void NodeNames::index(int64_t row, const std::string& name) {
  rows_[name].push_back(row);
}

std::shared_ptr<NodeNames> NodeNames::moved(
    const core::RowMoves& moves,
    const std::function<bool(int64_t)>& is_kept) const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  std::shared_ptr<NodeNames> out(new NodeNames);
  out->are_given_ = are_given_;
  out->are_numbers_ = are_numbers_;
  const auto rows = static_cast<int64_t>(moves.row_after.size());
  out->beyond_rows_ = beyond_rows_ + rows - moves.num_rows;
  // Rows that nobody uses may lie behind those of a chunk, named by nothing,
  // and have the number before them.
  for (int64_t r = std::min(num_first_, rows) - 1; r >= 0; --r) {
    const int64_t after = moves.row_after[static_cast<size_t>(r)];
    if (after == core::RowMoves::kDropped) continue;
    out->num_first_ = after + 1;
    break;
  }
  const auto num_first = static_cast<size_t>(out->num_first_);
  const bool has_texts = !first_.empty();
  if (has_texts) {
    out->first_.resize(num_first);
  } else {
    out->numbers_.assign(num_first, -1);
  }
  out->more_.resize(static_cast<size_t>(moves.num_rows - out->num_first_));
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t after = moves.row_after[static_cast<size_t>(r)];
    if (after == core::RowMoves::kDropped) continue;
    if (r < num_first_ && !has_texts) {
      out->numbers_[static_cast<size_t>(after)] =
          numbers_.empty() ? r : numbers_[static_cast<size_t>(r)];
      continue;
    }
    if (!is_kept(r)) continue;
    if (r < num_first_) {
      out->first_[static_cast<size_t>(after)] = first_[static_cast<size_t>(r)];
    } else {
      out->more_[static_cast<size_t>(after - out->num_first_)] =
          more_[static_cast<size_t>(r - num_first_)];
    }
  }
  for (size_t i = 1; i < out->numbers_.size(); ++i) {
    out->numbers_[i] = std::max(out->numbers_[i], out->numbers_[i - 1]);
  }
  for (size_t i = 0; i < out->first_.size(); ++i) {
    if (out->first_[i].empty()) continue;
    out->index(static_cast<int64_t>(i), out->first_[i]);
  }
  for (size_t i = 0; i < out->more_.size(); ++i) {
    if (out->more_[i].empty()) continue;
    out->index(out->num_first_ + static_cast<int64_t>(i), out->more_[i]);
  }
  return out;
}

std::string NodeNames::of(int64_t row) const {
  if (row < num_first_) {
    const auto at = static_cast<size_t>(row);
    if (!first_.empty()) return first_[at];
    return std::to_string(numbers_.empty() ? row : numbers_[at]);
  }
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  return more_[static_cast<size_t>(row - num_first_)];
}

int64_t NodeNames::number_of(std::string_view name) const {
  if (!first_.empty() || num_first_ == 0) return -1;
  const std::optional<int64_t> number = plain_number(name);
  if (!number) return -1;
  if (numbers_.empty()) return *number < num_first_ ? *number : -1;
  const auto found =
      std::lower_bound(numbers_.begin(), numbers_.end(), *number);
  return found != numbers_.end() && *found == *number ? found - numbers_.begin()
                                                      : -1;
}

void NodeNames::append(const std::vector<std::string>& names) {
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  for (const std::string& name : names) {
    more_.push_back(name);
    index(num_first_ + static_cast<int64_t>(more_.size()) - 1, more_.back());
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
