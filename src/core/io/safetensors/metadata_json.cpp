#include "core/io/safetensors/metadata_json.h"

#include "core/io/json_reader.h"

namespace ordered_gnn::core {

Json metadata_json(const TensorFile& content, const std::string& key,
                   const std::filesystem::path& file) {
  const auto found = content.metadata.find(key);
  if (found == content.metadata.end()) return nullptr;
  // It was within the bound of a header, which is enough.
  const JsonRules rules{static_cast<int64_t>(found->second.size())};
  return parse_json(found->second,
                    fmt::format("{}: metadata '{}'", file.string(), key),
                    rules);
}

}  // namespace ordered_gnn::core
