#pragma once
#include <filesystem>
#include <string>

#include "ordered_gnn/train/trained.h"

namespace ordered_gnn::training {

/// Where the data of the options is, or the root of a named dataset: absolute,
/// without links. Empty when it is generated, has no place of its own (a named
/// dataset of $OGNN_DATA or the cache) or is not there.
std::string absolute_data_path(const DataOptions& options);

/// What a checkpoint `file` says of Trained::data_path, as JSON: `absolute`,
/// and `relative`, seen from the folder of the file. Empty for an empty path.
std::string data_path_text(const std::string& data_path,
                           const std::filesystem::path& file);

/// Reads that back into data_path and data_nearby.
/// @throws Json::exception when it is damaged.
void read_data_path(const std::string& text, const std::filesystem::path& file,
                    Trained& out);

}  // namespace ordered_gnn::training
