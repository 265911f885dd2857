#include "scale/spill/row_reader.h"

#include <algorithm>
#include <cstring>

namespace ordered_gnn::scale {

RowReader::RowReader(PagedMemory& memory, const at::Tensor& rows)
    : memory_(memory),
      first_(static_cast<const char*>(rows.data_ptr())),
      bytes_(rows.size(1) * static_cast<int64_t>(rows.element_size())),
      is_on_disk_(memory.is_on_disk(first_)),
      gap_(kGap / bytes_),
      most_(std::max<int64_t>(1, kPiece / bytes_)) {}

void RowReader::take(int64_t row, char* to) {
  if (!is_on_disk_) {
    std::memcpy(to, first_ + row * bytes_, static_cast<size_t>(bytes_));
    return;
  }
  if (!wanted_.empty() && (row - wanted_.back().row > gap_ + 1 ||
                           row - wanted_.front().row >= most_)) {
    flush();
  }
  wanted_.push_back({row, to});
}

void RowReader::flush() {
  if (wanted_.empty()) return;
  const int64_t begin = wanted_.front().row;
  const int64_t count = wanted_.back().row + 1 - begin;
  piece_.resize(static_cast<size_t>(count * bytes_));
  memory_.copy(first_ + begin * bytes_, count * bytes_, piece_.data());
  for (const Wanted& one : wanted_) {
    std::memcpy(one.to, piece_.data() + (one.row - begin) * bytes_,
                static_cast<size_t>(bytes_));
  }
  wanted_.clear();
}

}  // namespace ordered_gnn::scale
