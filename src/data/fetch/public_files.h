#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ordered_gnn::data {

/// A file that is known by content. Paths are relative to a data root.
struct KnownFile {
  std::string path;
  int64_t size = -1;   ///< bytes; -1 when nobody measured it
  std::string sha256;  ///< 64 lower-case digits; empty when unknown
};

/// A file of a named dataset as its publishers offer it.
struct PublicFile {
  KnownFile file;
  std::string url;
  /// For a zip archive: what lies below the folder `unpack_from` inside it goes
  /// below `unpack_to`, a folder of the data root. Empty for a plain file.
  std::string unpack_from;
  std::string unpack_to;
  /// What an archive must leave behind.
  std::vector<KnownFile> contents;

  bool is_archive() const { return !unpack_from.empty(); }
};

/// Names of the datasets that have public files, in the order of `data list`.
const std::vector<std::string>& public_dataset_names();

/// Every file of one dataset, splits included, where the loaders look for it;
/// names as in find_named_dataset().
/// @throws UsageError naming the nearest known name.
std::vector<PublicFile> public_files(const std::string& dataset);

/// The public files whose content is known, plain files and those inside
/// archives, sorted by path.
const std::vector<KnownFile>& known_files();

/// @return nullptr when nothing is known of that path.
const KnownFile* find_known_file(const std::string& path);

}  // namespace ordered_gnn::data
