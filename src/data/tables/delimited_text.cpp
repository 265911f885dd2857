#include "data/tables/delimited_text.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/affixes.h"
#include "core/io/gzip_input.h"
#include "core/names.h"
#include "core/utf8.h"

namespace ordered_gnn::data {
namespace {

constexpr int64_t kMaxTableBytes = int64_t{1} << 36;
constexpr int kRecordsTried = 50;

std::string from_latin1(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    core::append_utf8(static_cast<unsigned char>(c), out);
  }
  return out;
}

// How many columns the delimiter makes of the first records; 0 when they do
// not agree.
size_t columns_with(std::string_view text, char delimiter,
                    const std::filesystem::path& file) {
  RecordReader records(text, delimiter, file, 1);
  std::vector<std::string_view> fields;
  size_t columns = 0;
  try {
    for (int i = 0; i < kRecordsTried && records.next(fields); ++i) {
      if (i > 0 && fields.size() != columns) return 0;
      columns = fields.size();
    }
  } catch (const Error&) {
    return 0;
  }
  return columns;
}

char recognise_delimiter(std::string_view text,
                         const std::filesystem::path& file) {
  constexpr std::array<char, 4> kTried = {',', ';', '\t', '|'};
  char best = ',';
  size_t most = 1;
  for (const char delimiter : kTried) {
    const size_t columns = columns_with(text, delimiter, file);
    if (columns > most) {
      most = columns;
      best = delimiter;
    }
  }
  if (most > 1) return best;
  // Ragged records are told later, with their line, by the likeliest one.
  const std::string_view header = text.substr(0, text.find('\n'));
  size_t seen = 0;
  for (const char delimiter : kTried) {
    const auto count = static_cast<size_t>(
        std::count(header.begin(), header.end(), delimiter));
    if (count > seen) {
      seen = count;
      best = delimiter;
    }
  }
  return best;
}

void check_header(const std::vector<std::string>& header,
                  const std::filesystem::path& file) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < header.size(); ++i) {
    if (header[i].empty()) {
      fail_at({file, 1},
              fmt::format("column {} of the header has no name; the first line "
                          "must name all columns",
                          i + 1));
    }
    if (!seen.insert(header[i]).second) {
      fail_at({file, 1}, fmt::format("the header names '{}' twice; give every "
                                     "column a name of its own",
                                     header[i]));
    }
  }
}

}  // namespace

DelimitedText::DelimitedText(const std::filesystem::path& file)
    : DelimitedText(file, core::read_plain_or_gzipped(file, kMaxTableBytes)) {}

DelimitedText::DelimitedText(const std::filesystem::path& file,
                             std::string text)
    : file_(file), text_(std::move(text)) {
  std::string_view view = text_;
  if (core::starts_with(view, "\xFF\xFE") ||
      core::starts_with(view, "\xFE\xFF")) {
    fail_in(file, "is UTF-16; save it as UTF-8");
  }
  if (view.find('\0') != std::string_view::npos) {
    fail_in(file, "has NUL bytes; expected a table as text, such as CSV");
  }
  size_t mark = 0;
  if (core::starts_with(view, "\xEF\xBB\xBF")) {
    mark = 3;
    view.remove_prefix(mark);
  }
  if (!core::is_utf8(view)) {
    text_ = from_latin1(view);
    mark = 0;
    notes_.push_back(fmt::format("{} is not UTF-8; it was read as Latin-1",
                                 file.filename().string()));
  }
  view = std::string_view(text_).substr(mark);
  delimiter_ = recognise_delimiter(view, file);
  RecordReader records(view, delimiter_, file_, 1);
  std::vector<std::string_view> fields;
  if (!records.next(fields)) {
    fail_in(file, "is empty; expected a header and a line for every row");
  }
  header_.assign(fields.begin(), fields.end());
  check_header(header_, file);
  body_begin_ = text_.size() - records.rest().size();
  body_line_ = records.line();
}

size_t DelimitedText::require_column(const std::string& name,
                                     const char* option) const {
  const auto found = std::find(header_.begin(), header_.end(), name);
  if (found == header_.end()) {
    throw UsageError(fmt::format(
        "{}: {} (option {})", file_.string(),
        core::unknown_name_message("column", name, header_), option));
  }
  return static_cast<size_t>(found - header_.begin());
}

}  // namespace ordered_gnn::data
