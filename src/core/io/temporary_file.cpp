#include "core/io/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/affixes.h"
#include "core/io/folder.h"

namespace ordered_gnn::core {
namespace {

namespace fs = std::filesystem;

std::atomic<unsigned> names_given{0};

// Names may have 255 bytes; a long one is cut to leave room for the rest.
std::string stem_of(const std::string& name) { return name.substr(0, 200); }

struct TemporaryName {
  std::string stem;
  pid_t process = 0;
  unsigned count = 0;
};

template <typename Number>
bool read_whole(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number);
  return status == std::errc() && stop == end;
}

std::optional<TemporaryName> parse_temporary(const std::string& name) {
  std::string_view rest = name;
  if (!take_prefix(rest, ".") || !take_suffix(rest, ".tmp")) {
    return std::nullopt;
  }
  const size_t dot = rest.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const std::string_view numbers = rest.substr(dot + 1);
  const size_t dash = numbers.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  TemporaryName out;
  out.stem = rest.substr(0, dot);
  const bool is_ours = read_whole(numbers.substr(0, dash), out.process) &&
                       out.process > 0 &&
                       read_whole(numbers.substr(dash + 1), out.count);
  return is_ours ? std::optional(out) : std::nullopt;
}

// Our own number may be that of a process that had it before, as in
// containers; what it made is told by a count that we have not come to.
bool has_ended(const TemporaryName& name) {
  if (name.process == ::getpid()) return name.count >= names_given;
  return ::kill(name.process, 0) != 0 && errno == ESRCH;
}

std::vector<fs::path> leftovers_in(const fs::path& folder,
                                   const std::string& target) {
  std::vector<fs::path> found;
  for (const fs::path& entry : entries_if_any(folder)) {
    const auto name = parse_temporary(entry.filename().string());
    if (!name || !has_ended(*name)) continue;
    if (!target.empty() && name->stem != stem_of(target)) continue;
    std::error_code ignored;
    if (fs::is_regular_file(fs::symlink_status(entry, ignored))) {
      found.push_back(entry);
    }
  }
  return found;
}

}  // namespace

fs::path temporary_beside(const fs::path& target) {
  return target.parent_path() / fmt::format(".{}.{}-{}.tmp",
                                            stem_of(target.filename().string()),
                                            ::getpid(), names_given++);
}

bool is_temporary(const fs::path& file) {
  return parse_temporary(file.filename().string()).has_value();
}

void remove_leftovers(const fs::path& folder,
                      const std::string& target) noexcept {
  try {
    for (const fs::path& file : leftovers_in(folder, target)) {
      ::unlink(file.c_str());
    }
  } catch (const std::exception&) {
    // Out of memory: they can be deleted another time.
  }
}

int flush_folder(const fs::path& folder) noexcept {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(),
                                O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // A folder that may be written to but not read, for one.
  if (descriptor < 0) return 0;
  int code = 0;
  do {
    code = ::fsync(descriptor) == 0 ? 0 : errno;
  } while (code == EINTR);
  ::close(descriptor);
  return code == EINVAL || code == ENOTSUP || code == EROFS ? 0 : code;
}

}  // namespace ordered_gnn::core
