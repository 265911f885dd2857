#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

namespace ordered_gnn {

/// A problem with a file, a setting or the machine that the user can act on.
/// The message says where, what was expected, what was found, what to do.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

/// A command line or recipe that cannot be right, whatever the data.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A place in a text file; lines count from 1, as editors do.
struct SourceLine {
  std::filesystem::path file;
  int64_t line = 0;
};

/// @throws Error "file: message".
[[noreturn]] void fail_in(const std::filesystem::path& file,
                          const std::string& message);

/// @throws Error "file:line: message".
[[noreturn]] void fail_at(const SourceLine& place, const std::string& message);

/// @throws Error with a fmt-formatted message.
template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace ordered_gnn
