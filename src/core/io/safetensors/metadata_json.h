#pragma once
#include <filesystem>
#include <string>

#include "core/io/safetensors/safetensors.h"
#include "ordered_gnn/core/options.h"

namespace ordered_gnn::core {

/// The JSON that the metadata of `file` has under `key`; null where it has no
/// such key.
/// @throws Error "FILE: metadata 'KEY': ..." as parse_json() does.
Json metadata_json(const TensorFile& content, const std::string& key,
                   const std::filesystem::path& file);

}  // namespace ordered_gnn::core
