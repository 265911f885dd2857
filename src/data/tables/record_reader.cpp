#include "core/io/text/packed_text.h"
#include "data/tables/delimited_text.h"

namespace ordered_gnn::data {
namespace {

namespace packed = core::packed;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view without_blanks(const char* begin, const char* end) {
  while (begin != end && is_blank(*begin)) ++begin;
  while (begin != end && is_blank(end[-1])) --end;
  return {begin, static_cast<size_t>(end - begin)};
}

// The next delimiter or line end. Most fields are shorter than the eight
// bytes that are looked at in one step.
const char* find_break(const char* at, const char* end, char delimiter) {
  const uint64_t delimiters =
      packed::kOnes * static_cast<unsigned char>(delimiter);
  for (; end - at >= 8; at += 8) {
    const auto word = core::load_le<uint64_t>(at);
    const uint64_t breaks = packed::zero_bytes(word ^ delimiters) |
                            packed::zero_bytes(word ^ packed::kOnes * '\n');
    if (breaks != 0) return at + packed::first_byte(breaks);
  }
  while (at != end && *at != delimiter && *at != '\n') ++at;
  return at;
}

}  // namespace

RecordReader::RecordReader(std::string_view text, char delimiter,
                           const std::filesystem::path& file,
                           int64_t first_line)
    : at_(text.data()),
      end_(text.data() + text.size()),
      delimiter_(delimiter),
      file_(&file),
      line_(first_line) {}

void RecordReader::skip_line_end() {
  if (at_ == end_) return;
  ++at_;
  ++line_;
}

// `at_` is behind the opening quote; afterwards at the delimiter or line end.
std::string_view RecordReader::take_quoted() {
  const int64_t opened = line_;
  const char* begin = at_;
  std::string* joined = nullptr;
  for (;; ++at_) {
    if (at_ == end_) {
      fail_at({*file_, opened},
              "a quote is opened here and never closed; a quote inside a "
              "quoted field is written twice");
    }
    if (*at_ == '\n') ++line_;
    if (*at_ != '"') continue;
    const bool doubled = at_ + 1 != end_ && at_[1] == '"';
    if (!doubled) break;
    if (joined == nullptr) {
      if (num_unescaped_ == unescaped_.size()) unescaped_.emplace_back();
      joined = &unescaped_[num_unescaped_++];
      joined->clear();
    }
    ++at_;
    joined->append(begin, at_);
    begin = at_ + 1;
  }
  std::string_view field(begin, static_cast<size_t>(at_ - begin));
  if (joined != nullptr) field = joined->append(field);
  for (++at_; at_ != end_ && is_blank(*at_) && *at_ != delimiter_;) ++at_;
  if (!at_line_end() && *at_ != delimiter_) {
    fail_at({*file_, line_},
            "there is text behind a closing quote; a quote inside a quoted "
            "field is written twice");
  }
  return field;
}

bool RecordReader::next(std::vector<std::string_view>& fields) {
  fields.clear();
  num_unescaped_ = 0;
  for (;;) {
    if (at_ == end_) return false;
    const char* first = at_;
    while (first != end_ && is_blank(*first) && *first != delimiter_) ++first;
    if (first != end_ && *first != '\n') break;
    at_ = first;
    skip_line_end();
  }
  record_line_ = line_;
  // Copies, which no field that is added can change in the compiler's eyes.
  const char* at = at_;
  const char* const end = end_;
  const char delimiter = delimiter_;
  for (;; ++at) {  // over the delimiter
    const char* begin = at;
    while (begin != end && *begin == ' ') ++begin;
    if (begin != end && *begin == '"') {
      at_ = begin + 1;
      fields.push_back(take_quoted());
      at = at_;
    } else {
      const char* const stop = find_break(at, end, delimiter);
      fields.push_back(without_blanks(at, stop));
      at = stop;
    }
    if (at == end || *at == '\n') break;
  }
  at_ = at;
  skip_line_end();
  return true;
}

}  // namespace ordered_gnn::data
