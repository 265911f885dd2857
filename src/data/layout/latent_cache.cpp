#include "data/layout/latent_cache.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "core/io/safetensors/safetensors.h"
#include "core/io/sha256.h"
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

std::string latent_key(const NodeDataset& data, const std::string& embedding) {
  const std::string text =
      fmt::format("{} {} {} {}", kFormat, data.provenance.fingerprint,
                  to_string(data.treatment.direction), embedding);
  core::Sha256 hash;
  hash.update(text);
  return hash.hex();
}

fs::path latent_file(const fs::path& folder, const std::string& key) {
  return folder / fmt::format("ognn-latent-{}.safetensors", key.substr(0, 16));
}

void make_latent_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail_in(folder, "cannot be made: " + error.message());
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

void write_latent_file(const fs::path& file, const std::string& key,
                       const LatentParts& parts) {
  core::TensorFile content;
  content.tensors = {{"position", parts.position}, {"pairs", parts.pairs}};
  content.metadata = {{"format", kFormat}, {"key", key}};
  core::write_safetensors(file, content);
}

}  // namespace ordered_gnn::data
