#include "fuzz/parts.h"

#include <algorithm>
#include <cctype>
#include <list>
#include <set>

#include "core/io/file.h"
#include "core/io/npy/npz.h"

namespace ordered_gnn::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarker = "--file:";
constexpr size_t kMaxParts = 64;
constexpr size_t kMaxName = 100;

bool is_safe_name(std::string_view name) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '/';
  };
  return !name.empty() && name.size() <= kMaxName && name.front() != '/' &&
         name.back() != '/' && name.find("..") == std::string_view::npos &&
         std::all_of(name.begin(), name.end(), is_plain);
}

}  // namespace

std::vector<Part> split_parts(std::string_view input) {
  std::vector<Part> parts;
  std::set<std::string> seen;
  size_t at = input.find(kMarker);
  while (at != std::string_view::npos && parts.size() < kMaxParts) {
    const size_t begin = at + kMarker.size();
    at = input.find(kMarker, begin);
    const std::string_view part = input.substr(begin, at - begin);
    const size_t end_of_name = part.find('\n');
    if (end_of_name == std::string_view::npos) continue;
    const std::string name(part.substr(0, end_of_name));
    if (!is_safe_name(name) || !seen.insert(name).second) continue;
    parts.push_back({name, part.substr(end_of_name + 1)});
  }
  return parts;
}

std::string join_parts(const std::vector<Part>& parts) {
  std::string input;
  for (const Part& part : parts) {
    input += kMarker;
    input += part.name;
    input += '\n';
    input += part.bytes;
  }
  return input;
}

std::string pack_folder(const fs::path& folder) {
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.insert(entry.path());
  }
  std::list<std::string> contents;  // a list, for the parts point into it
  std::vector<Part> parts;
  for (const fs::path& file : files) {
    contents.push_back(core::read_file(file));
    parts.push_back(
        {file.lexically_relative(folder).string(), contents.back()});
  }
  return join_parts(parts);
}

std::string pack_npz(const fs::path& file) {
  const core::NpzReader archive(file);
  std::list<std::string> contents;
  std::vector<Part> parts;
  for (const std::string& entry : archive.entries()) {
    contents.push_back(archive.read_bytes(entry));
    parts.push_back({entry, contents.back()});
  }
  return join_parts(parts);
}

}  // namespace ordered_gnn::fuzz
