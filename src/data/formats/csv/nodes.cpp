#include "data/formats/csv/nodes.h"

#include "data/formats/csv/table.h"

namespace ordered_gnn::data {

std::optional<int64_t> plain_number(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  int64_t value = 0;
  if (!core::quick_integer(at, end, value) || at != end) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return value;
}

void NodeIds::add(std::string_view id, const SourceLine& place) {
  if (id.empty()) fail_at(place, "the node id is empty");
  ++size_;
  if (are_numbers_) {
    if (const std::optional<int64_t> number = plain_number(id)) {
      numbers_.push_back(*number);
      return;
    }
    become_texts();
  }
  names_.emplace_back(id);
}

// Nothing is lost on the way: only numbers written the usual way were taken.
void NodeIds::become_texts() {
  are_numbers_ = false;
  names_.reserve(numbers_.size());
  for (const int64_t number : numbers_) {
    names_.push_back(std::to_string(number));
  }
  numbers_ = {};
}

bool NodeIds::numbers_are_dense() const {
  std::vector<bool> seen(numbers_.size(), false);
  for (const int64_t number : numbers_) {
    if (number >= size_ || seen[number]) return false;
    seen[number] = true;
  }
  return true;
}

void NodeIds::build_index() {
  const int64_t repeat = index_.build(names_);
  if (repeat < 0) return;
  const int64_t first = index_.find(names_[repeat]);
  fail_at(line_of_row(file_, repeat),
          fmt::format("node '{}' was already given in line {}", names_[repeat],
                      line_of_row(file_, first).line));
}

void NodeIds::finish(const std::filesystem::path& file) {
  file_ = file;
  if (are_numbers_ && numbers_are_dense()) return;
  if (are_numbers_) become_texts();
  build_index();
}

std::string NodeIds::text_of(int64_t node) const {
  return are_numbers_ ? std::to_string(node) : names_[node];
}

void NodeIds::fail_unknown(std::string_view id, const SourceLine& place) const {
  fail_at(place,
          fmt::format("node '{}' is not among the {} nodes of {}",
                      id.substr(0, 80), size_, file_.filename().string()));
}

}  // namespace ordered_gnn::data
