#include "data/formats/csv/output.h"

#include <algorithm>
#include <cstring>

namespace ordered_gnn::data {

void CsvOutput::append(std::string_view text) {
  while (!text.empty()) {
    // A byte is left for what comes behind: a quote, a comma or a line end.
    if (buffer_.size() - used_ < kMaxNumber) flush();
    const size_t count = std::min(text.size(), buffer_.size() - used_ - 1);
    std::memcpy(buffer_.data() + used_, text.data(), count);
    used_ += count;
    text.remove_prefix(count);
  }
}

void CsvOutput::field(std::string_view text) {
  if (buffer_.size() - used_ < kMaxNumber) flush();
  start_field();
  // Two searches for one character each are far faster than one for two.
  if (text.find(',') == std::string_view::npos &&
      text.find('"') == std::string_view::npos) {
    append(text);
    return;
  }
  append("\"");
  for (size_t quote = text.find('"'); quote != std::string_view::npos;
       quote = text.find('"')) {
    append(text.substr(0, quote + 1));
    append("\"");
    text.remove_prefix(quote + 1);
  }
  append(text);
  append("\"");
}

void CsvOutput::finish() {
  flush();
  file_.commit();
}

}  // namespace ordered_gnn::data
