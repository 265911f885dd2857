#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace ordered_gnn::data {

/// The files `ind.NAME.*` of one dataset.
struct PlanetoidFiles {
  std::filesystem::path folder;
  std::string name;

  /// Path of `ind.NAME.part`, with ".gz" when only that is there.
  std::filesystem::path path(const std::string& part) const;
};

/// The datasets of which `path`, a folder or one file, holds any file, in
/// `path` itself or else in `path/raw`; sorted by name.
std::vector<PlanetoidFiles> list_planetoid(const std::filesystem::path& path);

/// The one dataset that `path` and `name` (may be empty) stand for, with all
/// its files there.
/// @throws Error when there is none, when there are several, or when files are
///         missing, each named with its path.
PlanetoidFiles find_planetoid(const std::filesystem::path& path,
                              const std::string& name);

}  // namespace ordered_gnn::data
