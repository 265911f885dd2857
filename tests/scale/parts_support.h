#pragma once
#include <filesystem>
#include <string>

#include "ordered_gnn/data/registry.h"
#include "scale/parts/assign.h"
#include "scale/parts/writer.h"

namespace ordered_gnn {

/// A generated graph of 240 nodes, dense features, two splits.
/// @param more  settings of the generator, such as "&directed=true".
inline NodeDataset parts_data(const std::string& more = "") {
  std::string spec = "synthetic:csbm?classes=3&splits=2&seed=5";
  if (more.find("nodes=") == std::string::npos) spec += "&nodes=240";
  if (more.find("features=") == std::string::npos) spec += "&features=10";
  if (more.find("degree=") == std::string::npos) spec += "&degree=6";
  return load_dataset(spec + more);
}

/// As much as parts.json may say: no whole number holds products of it.
inline scale::PartsManifest huge_manifest() {
  const int64_t most = int64_t{1} << 53;
  scale::PartsManifest manifest;
  manifest.num_nodes = manifest.num_edges = most;
  manifest.num_features = kMaxFeatures;
  manifest.num_classes = kMaxClasses;
  manifest.bounds = {0, most / 2, most};
  manifest.parts.assign(2, {most, most, most, most, most});
  return manifest;
}

/// Writes it as parts and says where.
inline std::filesystem::path write_test_parts(
    const NodeDataset& data, int64_t parts, const std::filesystem::path& folder,
    const std::string& method = "stream") {
  scale::write_parts(data, scale::assign_parts(data, parts, method), parts,
                     method, folder, /*replace=*/true);
  return folder;
}

}  // namespace ordered_gnn
