#include "data/layout/latent_cache.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "core/io/safetensors/safetensors.h"
#include "core/io/sha256.h"
#include "data/paths.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "ordered_gnn latent space 1";

void require(bool condition, const fs::path& file, const char* what) {
  if (!condition) {
    fail_in(file, fmt::format("damaged latent space: {}", what));
  }
}

}  // namespace

std::string latent_key(const NodeDataset& data, Embedding embedding) {
  const std::string text =
      fmt::format("{} {} {} {}", kFormat, data.provenance.fingerprint,
                  to_string(data.treatment.direction), to_string(embedding));
  core::Sha256 hash;
  hash.update(text);
  return hash.hex();
}

std::vector<fs::path> latent_files(const NodeDataset& data,
                                   const std::string& key) {
  const Provenance& source = data.provenance;
  if (source.files.empty() || source.fingerprint.empty()) return {};
  const std::string name =
      fmt::format("ognn-latent-{}.safetensors", key.substr(0, 16));
  std::vector<fs::path> files = {fs::path(source.files.front()).parent_path() /
                                 name};
  const fs::path cache = user_cache_folder();
  if (!cache.empty()) files.push_back(cache / "latent" / name);
  return files;
}

LatentParts read_latent_file(const fs::path& file, const std::string& key,
                             int64_t num_nodes) {
  const core::TensorFile content = core::read_safetensors(file);
  const auto is = [&](const char* name, const std::string& value) {
    const auto found = content.metadata.find(name);
    return found != content.metadata.end() && found->second == value;
  };
  require(is("format", kFormat), file, "it is of another kind or version");
  require(is("key", key), file, "it belongs to other data");
  const auto tensor = [&](const char* name, at::ScalarType type) {
    const auto found = content.tensors.find(name);
    require(found != content.tensors.end() &&
                found->second.scalar_type() == type && found->second.dim() == 2,
            file, name);
    return found->second;
  };
  LatentParts parts{tensor("position", at::kFloat), tensor("pairs", at::kLong)};
  require(parts.position.size(0) == num_nodes && parts.position.size(1) == 2 &&
              parts.position.isfinite().all().item<bool>(),
          file, "positions are not one place per node");
  require(
      parts.pairs.size(0) == 2 &&
          (parts.pairs.ge(0) & parts.pairs.lt(num_nodes)).all().item<bool>(),
      file, "pairs name nodes that are not there");
  return parts;
}

std::optional<fs::path> write_latent_file(const std::vector<fs::path>& files,
                                          const std::string& key,
                                          const LatentParts& parts) {
  core::TensorFile content;
  content.tensors = {{"position", parts.position}, {"pairs", parts.pairs}};
  content.metadata = {{"format", kFormat}, {"key", key}};
  for (const fs::path& file : files) {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    try {
      core::write_safetensors(file, content);
      return file;
    } catch (const Error&) {
      // A folder that is not ours to write to; the next one may be.
    }
  }
  return std::nullopt;
}

}  // namespace ordered_gnn::data
