#include "data/formats/planetoid/files.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <system_error>

#include "core/affixes.h"
#include "core/io/folder.h"
#include "core/io/text/text.h"
#include "core/names.h"
#include "data/paths.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStart = "ind.";
constexpr std::string_view kPacked = ".gz";
constexpr std::array<std::string_view, 8> kFileParts = {
    "x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"};

// NAME of "ind.NAME.part", or nothing. NAME may hold dots: "ind.nell.0.1.x".
std::string name_of_file(std::string_view file) {
  if (!core::take_prefix(file, kStart)) return "";
  core::take_suffix(file, kPacked);
  for (const std::string_view part : kFileParts) {
    std::string_view name = file;
    if (core::take_suffix(name, part) && core::take_suffix(name, ".")) {
      return std::string(name);
    }
  }
  return "";
}

std::vector<PlanetoidFiles> list_folder(const fs::path& folder) {
  std::set<std::string> names;
  for (const fs::path& entry : core::entries_if_any(folder)) {
    const std::string name = name_of_file(entry.filename().string());
    if (!name.empty()) names.insert(name);
  }
  std::vector<PlanetoidFiles> found;
  for (const std::string& name : names) found.push_back({folder, name});
  return found;
}

std::string names_of(const std::vector<PlanetoidFiles>& found) {
  std::vector<std::string> names;
  for (const PlanetoidFiles& files : found) names.push_back(files.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

PlanetoidFiles choose(const fs::path& path, const std::string& name) {
  const std::vector<PlanetoidFiles> found = list_planetoid(path);
  if (found.empty()) {
    fail_in(path,
            "there are no Planetoid files such as ind.cora.x here or in raw/");
  }
  if (name.empty() && found.size() == 1) return found[0];
  for (const std::string& wanted : {name, core::lower_case(name)}) {
    for (const PlanetoidFiles& files : found) {
      if (files.name == wanted) return files;
    }
  }
  if (name.empty()) {
    fail_in(path, fmt::format("there are several datasets here: {}; give the "
                              "path of one file such as {}, or the dataset's "
                              "name in place of a path",
                              names_of(found), found[0].path("x").string()));
  }
  fail_in(path, fmt::format("there are no files ind.{}.* here, only those of "
                            "{}",
                            name, names_of(found)));
}

void require_all(const PlanetoidFiles& files) {
  std::vector<std::string> missing;
  for (const std::string_view part : kFileParts) {
    const fs::path path = files.path(std::string(part));
    if (!is_there(path)) missing.push_back(path.string());
  }
  if (!missing.empty()) {
    fail("dataset '{}' is incomplete; missing (plain or with .gz added): {}",
         files.name, fmt::join(missing, ", "));
  }
}

}  // namespace

fs::path PlanetoidFiles::path(const std::string& part) const {
  return core::plain_or_gzipped(folder /
                                fmt::format("{}{}.{}", kStart, name, part));
}

std::vector<PlanetoidFiles> list_planetoid(const fs::path& path) {
  const std::string name = name_of_file(path.filename().string());
  std::error_code ignored;
  if (!name.empty() && fs::is_regular_file(path, ignored)) {
    return {{path.parent_path(), name}};
  }
  std::vector<PlanetoidFiles> found = list_folder(path);
  return found.empty() ? list_folder(path / "raw") : found;
}

PlanetoidFiles find_planetoid(const fs::path& path, const std::string& name) {
  std::error_code ignored;
  // A file says itself which dataset it is of, whatever that is to be called.
  const bool is_file = fs::is_regular_file(path, ignored);
  PlanetoidFiles files = choose(path, is_file ? "" : name);
  require_all(files);
  return files;
}

}  // namespace ordered_gnn::data
