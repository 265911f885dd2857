#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn {

/// What a loader may need to know beyond the path.
struct LoadOptions {
  /// Name of the dataset; empty: taken from the files or the path.
  std::string name;
  /// One of the loader's split sets, "auto" for its first one that is there
  /// (none is fine), or "none".
  std::string split_set = "auto";
  /// Folders to search for split files before the loader's own places.
  std::vector<std::filesystem::path> split_folders;
  /// First part of the split files' names; empty: the dataset's name.
  std::string split_prefix;
  /// Above 0: the labels are the nodes' years cut into this many classes at
  /// their quantiles, for formats that store years.
  int64_t year_classes = 0;
  /// How to make features of a table; empty: as the files say, or fitted on
  /// the table.
  std::vector<Column> columns;
  MissingColumns missing_columns = MissingColumns::error;
  /// A label of users' tables that means none, beside the empty cell.
  std::string unlabelled;
};

/// One file format.
struct Loader {
  std::string name;     ///< as `--format` spells it
  std::string summary;  ///< one line for lists
  std::string needs;    ///< what a path must hold to be in this format
  /// Split sets that can be asked for by name; empty: what the files hold
  /// decides, and load() checks the name.
  std::vector<std::string> split_sets;
  /// True when the path looks like this format. May throw Error when a file
  /// that can be nothing else is damaged.
  bool (*recognises)(const std::filesystem::path& path);
  /// Reads and validates; leaves the fingerprint to the caller.
  RawDataset (*load)(const std::filesystem::path& path,
                     const LoadOptions& options);
};

/// Every format that can be read, in the order they are tried.
const std::vector<Loader>& loaders();

/// The loader called `format`, or for "auto" the first that recognises `path`.
/// @throws Error when the path does not exist, the format is unknown (naming
///         the nearest), or nothing recognises the path (saying what each
///         format needs).
const Loader& find_loader(const std::filesystem::path& path,
                          const std::string& format);

/// Checks the split set's name where the format fixes it, then loads.
/// @throws Error listing the split sets of this format.
RawDataset load_with(const Loader& loader, const std::filesystem::path& path,
                     const LoadOptions& options);

/// Loads a file or folder in any known format, fingerprint included.
RawDataset load_path(const std::filesystem::path& path,
                     const std::string& format = "auto",
                     const LoadOptions& options = {});

}  // namespace ordered_gnn
