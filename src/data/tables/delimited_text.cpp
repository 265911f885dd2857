#include "data/tables/delimited_text.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/affixes.h"
#include "core/io/gzip_input.h"
#include "core/names.h"

namespace ordered_gnn::data {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 36;
constexpr int kRecordsTried = 50;

// Bytes of the UTF-8 character at `at`, 0 when it is none.
size_t character_size(const unsigned char* at, const unsigned char* end) {
  const auto follows = [&](size_t count) {
    if (static_cast<size_t>(end - at) <= count) return false;
    for (size_t i = 1; i <= count; ++i) {
      if ((at[i] & 0xC0) != 0x80) return false;
    }
    return true;
  };
  if (*at < 0x80) return 1;
  if (*at >= 0xC2 && *at < 0xE0) return follows(1) ? 2 : 0;
  if (*at >= 0xE0 && *at < 0xF0) {
    const bool overlong = *at == 0xE0 && end - at > 1 && at[1] < 0xA0;
    const bool surrogate = *at == 0xED && end - at > 1 && at[1] >= 0xA0;
    return follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (*at >= 0xF0 && *at < 0xF5) {
    const bool overlong = *at == 0xF0 && end - at > 1 && at[1] < 0x90;
    const bool beyond = *at == 0xF4 && end - at > 1 && at[1] >= 0x90;
    return follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

bool is_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const unsigned char* const end = at + text.size();
  while (at != end) {
    // Plain ASCII, eight bytes at a time.
    while (end - at >= 8) {
      uint64_t word = 0;
      std::copy_n(at, 8, reinterpret_cast<unsigned char*>(&word));
      if ((word & 0x8080808080808080u) != 0) break;
      at += 8;
    }
    if (at == end) break;
    const size_t size = character_size(at, end);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

std::string from_latin1(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xC0 | (byte >> 6));
      out += static_cast<char>(0x80 | (byte & 0x3F));
    }
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
    : DelimitedText(file, core::read_plain_or_gzipped(file, kMaxBytes)) {}

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
  if (!is_utf8(view)) {
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
