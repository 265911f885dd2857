#include "data/fetch/checksums.h"

#include <algorithm>
#include <mutex>

#include "core/io/sha256.h"
#include "core/io/text/text.h"
#include "core/names.h"
#include "data/paths.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

constexpr size_t kDigits = 64;
constexpr size_t kMaxLine = 1 << 16;

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
         (c >= 'A' && c <= 'F');
}

char lower(char c) {
  return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
}

ChecksumLine parse_line(std::string_view line, const SourceLine& place) {
  const std::string_view digits = line.substr(0, kDigits);
  const std::string_view gap = line.substr(digits.size(), 2);
  if (digits.size() != kDigits ||
      !std::all_of(digits.begin(), digits.end(), is_hex) ||
      (gap != "  " && gap != " *") || line.size() == kDigits + gap.size()) {
    fail_at(place, fmt::format("expected 64 hexadecimal digits, two spaces and "
                               "a path, as sha256sum writes them, got '{}'",
                               line.substr(0, 100)));
  }
  ChecksumLine result;
  std::transform(digits.begin(), digits.end(),
                 std::back_inserter(result.sha256), lower);
  result.path = line.substr(kDigits + gap.size());
  if (!stays_below(result.path)) {
    fail_at(place, fmt::format("the path '{}' leads out of the folder of the "
                               "list; only relative paths without '..' are "
                               "checked",
                               result.path));
  }
  return result;
}

CheckedFile check_file(const fs::path& root, const ChecksumLine& line) {
  CheckedFile result;
  result.path = line.path;
  result.expected = line.sha256;
  if (!is_there(root / line.path)) return result;
  try {
    result.found = core::sha256_of_file(root / line.path);
    result.state =
        result.found == line.sha256 ? FileState::right : FileState::differs;
  } catch (const Error& error) {
    result.state = FileState::unreadable;
    result.problem = error.what();
  }
  return result;
}

}  // namespace

const char* to_string(FileState state) {
  return core::word_of(state, {{FileState::right, "right"},
                               {FileState::differs, "differs"},
                               {FileState::missing, "missing"},
                               {FileState::unreadable, "unreadable"}});
}

std::vector<ChecksumLine> read_checksums(const fs::path& file) {
  core::LineReader reader(file, kMaxLine);
  std::vector<ChecksumLine> lines;
  std::string_view line;
  while (reader.next(line)) {
    if (line.empty() || line.front() == '#') continue;
    lines.push_back(parse_line(line, reader.place()));
  }
  return lines;
}

std::vector<CheckedFile> verify_checksums(
    const fs::path& root, const std::vector<ChecksumLine>& lines,
    const ChecksumProgress& progress) {
  std::vector<CheckedFile> results(lines.size());
  std::mutex mutex;
  int64_t done = 0;
  const auto total = static_cast<int64_t>(lines.size());
  parallel_blocks(total, [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    results[at] = check_file(root, lines[at]);
    const std::lock_guard<std::mutex> lock(mutex);
    ++done;
    if (progress) progress(done, total);
  });
  return results;
}

}  // namespace ordered_gnn::data
