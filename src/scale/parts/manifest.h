#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::scale {

/// Of the layout of a folder of parts; a folder of another version is refused.
inline constexpr int64_t kPartsVersion = 1;

/// Of a graph; a folder of more is neither written nor read.
inline constexpr int64_t kMostParts = 100000;

/// What a part holds, and what it needs of others.
struct PartSize {
  int64_t in_edges = 0;   ///< messages that its nodes receive
  int64_t out_edges = 0;  ///< messages that its nodes send
  int64_t cut_edges = 0;  ///< of in_edges, those from other parts
  /// Nodes of other parts whose messages it receives, and those of other parts
  /// that receive from it.
  int64_t in_halo = 0;
  int64_t out_halo = 0;
};

/// What a file of a part must be.
struct FileMark {
  int64_t bytes = 0;
  std::string sha256;
};

/// `parts.json`: all that is known of a graph that was cut into parts, but for
/// the rows of its nodes. Nodes have new ids: part p has those in
/// [bounds[p], bounds[p + 1]), within a part in the order of their original
/// ids.
struct PartsManifest {
  std::string name;
  int64_t num_nodes = 0;
  int64_t num_edges = 0;
  int64_t num_features = 0;
  int64_t num_classes = 0;
  bool sparse_features = false;
  int64_t feature_values = 0;  ///< entries of sparse features
  int64_t num_splits = 0;
  std::string split_set;
  std::vector<std::string> class_names;
  std::vector<std::string> feature_names;
  std::vector<Column> columns;
  Treatment treatment;
  std::string data_fingerprint;  ///< of the data that was cut
  std::string method;            ///< how the parts were chosen
  std::vector<int64_t> bounds;
  std::vector<PartSize> parts;
  std::map<std::string, FileMark> files;  ///< by path within the folder

  int64_t num_parts() const { return static_cast<int64_t>(parts.size()); }
  int64_t rows_of(int64_t part) const {
    return bounds[part + 1] - bounds[part];
  }
  /// The part that the node of this new id is in.
  int64_t part_of(int64_t node) const;
};

/// SHA-256 of all that the manifest says, the checksums of files among it: two
/// folders with the same one hold the same parts.
std::string parts_fingerprint(const PartsManifest& manifest);

/// Whether the path is a folder of parts, whole or not.
bool is_parts_folder(const std::filesystem::path& path);

/// The name of a file of a part within the folder: "part-0007/labels.npy".
std::string part_file(int64_t part, const std::string& name);

/// @throws Error naming `parts.json` when it is missing, cut, of another
///         version, changed since it was written, or says what cannot be:
///         `files` are those of its parts, all of them and no other, and an
///         entry that is none is named.
PartsManifest read_manifest(const std::filesystem::path& folder);

/// Writes `parts.json` into the folder; the last file to be written.
void write_manifest(const std::filesystem::path& folder,
                    const PartsManifest& manifest);

}  // namespace ordered_gnn::scale
