#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/data/latent_space.h"

namespace ordered_gnn::data {

/// What a latent space is made of, as its file holds it.
struct LatentParts {
  at::Tensor position;  ///< [N, 2] float32
  at::Tensor pairs;     ///< [2, P] int64
};

/// Names the content that a latent space of the data follows from.
std::string latent_key(const NodeDataset& data, Embedding embedding);

/// Files that may hold it, in the order they are looked for and written. Empty
/// for data that is from no file.
std::vector<std::filesystem::path> latent_files(const NodeDataset& data,
                                                const std::string& key);

/// @throws Error naming the file when it is damaged or is of something else.
LatentParts read_latent_file(const std::filesystem::path& file,
                             const std::string& key, int64_t num_nodes);

/// Writes the first of the files that can be written, atomically.
/// @return which; nothing when none could be.
std::optional<std::filesystem::path> write_latent_file(
    const std::vector<std::filesystem::path>& files, const std::string& key,
    const LatentParts& parts);

}  // namespace ordered_gnn::data
