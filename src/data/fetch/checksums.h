#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ordered_gnn::data {

/// One line of a SHA256SUMS file.
struct ChecksumLine {
  std::string path;    ///< relative to the folder of the list, no ".." in it
  std::string sha256;  ///< 64 lower-case digits
};

/// Reads a list as sha256sum writes it: 64 hexadecimal digits, two spaces or a
/// space and '*', a path. Empty lines and lines that begin with '#' are
/// skipped. A path that is listed twice is checked twice.
/// @throws Error "file:line: why" for any other line and for a path that is
///         absolute or leads out of the folder.
std::vector<ChecksumLine> read_checksums(const std::filesystem::path& file);

enum class FileState { right, differs, missing, unreadable };

/// "right", "differs", "missing" or "unreadable".
const char* to_string(FileState state);

struct CheckedFile {
  std::string path;
  std::string expected;  ///< SHA-256 of the list
  FileState state = FileState::missing;
  std::string found;    ///< SHA-256 of a file that is right or differs
  std::string problem;  ///< why a file is unreadable
};

/// Called after each file, by one thread at a time.
using ChecksumProgress = std::function<void(int64_t done, int64_t total)>;

/// Hashes the files below `root`, several at a time.
/// @return one entry per line, in the order of the list.
std::vector<CheckedFile> verify_checksums(
    const std::filesystem::path& root, const std::vector<ChecksumLine>& lines,
    const ChecksumProgress& progress = {});

}  // namespace ordered_gnn::data
