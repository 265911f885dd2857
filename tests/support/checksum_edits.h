#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/io/file.h"
#include "core/io/little_endian.h"
#include "core/io/safetensors/checksum.h"

namespace ordered_gnn {

/// Rewrites a safetensors file as versions before checksums wrote it, or, where
/// it keeps its format, as damage may leave it.
inline void remove_checksum(const std::filesystem::path& file,
                            bool keeps_format = false) {
  const std::string bytes = core::read_file(file);
  const auto length = core::load_le<uint64_t>(bytes.data());
  auto header = nlohmann::json::parse(bytes.substr(8, length));
  auto& metadata = header.at("__metadata__");
  metadata.erase(core::kChecksumKey);
  if (metadata.contains("format")) {
    auto format = metadata.at("format").get<std::string>();
    if (!keeps_format && format.back() == '2') format.back() = '1';
    metadata["format"] = format;
  }
  const std::string text = header.dump();
  std::string out;
  core::append_le(out, static_cast<uint64_t>(text.size()));
  core::write_file(file, out + text + bytes.substr(8 + length));
}

}  // namespace ordered_gnn
