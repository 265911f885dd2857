#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// What a latent space is made of, as its file holds it.
struct LatentParts {
  at::Tensor position;  ///< [N, 2] float32
  at::Tensor pairs;     ///< [2, P] int64
};

/// Names the content that a latent space of the data follows from.
/// @param embedding  name of the way nodes get their places.
std::string latent_key(const NodeDataset& data, const std::string& embedding);

/// The file in the folder that holds it.
std::filesystem::path latent_file(const std::filesystem::path& folder,
                                  const std::string& key);

/// Makes the folder and those it is in, where they are not there.
/// @throws Error naming the folder.
void make_latent_folder(const std::filesystem::path& folder);

/// @throws Error naming the file when it is damaged or is of something else.
LatentParts read_latent_file(const std::filesystem::path& file,
                             const std::string& key, int64_t num_nodes);

/// Writes it, atomically.
/// @throws Error naming the file.
void write_latent_file(const std::filesystem::path& file,
                       const std::string& key, const LatentParts& parts);

}  // namespace ordered_gnn::data
