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
/// and `relative`, seen from the folder of the file; of a split file among the
/// options `split_file`, seen from there. Empty without either.
std::string data_path_text(const Trained& trained,
                           const std::filesystem::path& file);

/// Takes that back into data_path and data_nearby. A split file that is no
/// longer in its place is the one that has moved together with the checkpoint,
/// where that is there.
/// @throws Json::exception when a key has another type.
void read_data_path(const Json& json, const std::filesystem::path& file,
                    Trained& out);

}  // namespace ordered_gnn::training
