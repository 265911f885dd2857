#include "core/io/text/csv_writer.h"

#include <algorithm>
#include <cstring>

namespace ordered_gnn::core {
namespace {

// A search for one character each is far faster than one for all of them.
bool needs_quotes(std::string_view text) {
  constexpr std::string_view kSpecial = ",\"\n\r";
  return std::any_of(kSpecial.begin(), kSpecial.end(), [&](char c) {
    return text.find(c) != std::string_view::npos;
  });
}

// Digits, with or without sign, point and exponent; no "inf".
bool is_plain_number(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    text.remove_prefix(1);
  }
  if (text.empty() || (text[0] != '.' && (text[0] < '0' || text[0] > '9'))) {
    return false;
  }
  double number = 0;
  const char* const end = text.data() + text.size();
  return std::from_chars(text.data(), end, number).ptr == end;
}

// See FormulaText; with any number of apostrophes in front.
bool begins_as_formula(std::string_view text) {
  const size_t first = text.find_first_not_of('\'');
  if (text.size() < 2 || first == std::string_view::npos) return false;
  constexpr std::string_view kBeginnings = "=+-@\t\r\n";
  if (kBeginnings.find(text[first]) == std::string_view::npos) return false;
  return !is_plain_number(text);
}

}  // namespace

void CsvWriter::append(std::string_view text) {
  while (!text.empty()) {
    // Room is left for what comes behind: a quote, a comma or a line end.
    if (buffer_.size() - used_ < kMaxNumber) flush();
    const size_t count = std::min(text.size(), buffer_.size() - used_ - 1);
    std::memcpy(buffer_.data() + used_, text.data(), count);
    used_ += count;
    text.remove_prefix(count);
  }
}

void CsvWriter::field(std::string_view text) {
  if (buffer_.size() - used_ < kMaxNumber) flush();
  const bool was_first = is_first_;
  start_field();
  is_blank_ = was_first && text.empty();
  const bool guards =
      formulas_ == FormulaText::guarded && begins_as_formula(text);
  num_guarded_ += guards ? 1 : 0;
  if (!needs_quotes(text)) {
    if (guards) append("'");
    append(text);
    return;
  }
  append(guards ? "\"'" : "\"");
  for (size_t quote = text.find('"'); quote != std::string_view::npos;
       quote = text.find('"')) {
    append(text.substr(0, quote + 1));
    append("\"");
    text.remove_prefix(quote + 1);
  }
  append(text);
  append("\"");
}

void CsvWriter::flush() {
  if (file_) {
    file_->write(buffer_.data(), used_);
  } else {
    text_->append(buffer_.data(), used_);
  }
  used_ = 0;
}

void CsvWriter::finish() {
  flush();
  if (file_) file_->commit();
}

}  // namespace ordered_gnn::core
