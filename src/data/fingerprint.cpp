#include "data/fingerprint.h"

#include <ATen/core/Tensor.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/io/sha256.h"
#include "data/split_checks.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::data {
namespace {

constexpr int64_t kPieceBytes = int64_t{1} << 20;

// Each value goes in under a label and with its extent, so that two different
// datasets cannot produce the same byte sequence by shifting content.
class ContentHash {
 public:
  void add(const std::string& label, const std::string& value) {
    hash_.update(fmt::format("{}={}:{}\n", label, value.size(), value));
  }

  void add(const std::string& label, const at::Tensor& values) {
    const at::Tensor flat = values.contiguous();
    add(label, fmt::format("{}[{}]", at::toString(flat.scalar_type()),
                           fmt::join(flat.sizes(), ",")));
    const auto* bytes = static_cast<const char*>(flat.data_ptr());
    const int64_t size = static_cast<int64_t>(flat.nbytes());
    const int64_t num_pieces = (size + kPieceBytes - 1) / kPieceBytes;
    std::vector<std::string> digests(num_pieces);
    parallel_blocks(num_pieces, [&](int64_t piece) {
      const int64_t begin = piece * kPieceBytes;
      core::Sha256 hash;
      hash.update(bytes + begin, std::min(kPieceBytes, size - begin));
      digests[piece] = hash.hex();
    });
    for (const std::string& digest : digests) hash_.update(digest);
  }

  std::string hex() { return hash_.hex(); }

 private:
  core::Sha256 hash_;
};

void add_features(ContentHash& hash, const NodeFeatures& features) {
  hash.add("num_features", std::to_string(features.num_features()));
  switch (features.kind()) {
    case NodeFeatures::Kind::dense:
      hash.add("dense", features.dense_values());
      return;
    case NodeFeatures::Kind::sparse:
      hash.add("rowptr", features.rows().rowptr);
      hash.add("col", features.rows().col);
      hash.add("value", features.rows().value);
      return;
    case NodeFeatures::Kind::identity:
      hash.add("identity", "");
      return;
  }
}

}  // namespace

std::string content_fingerprint(const RawDataset& raw) {
  ContentHash hash;
  hash.add("num_nodes", std::to_string(raw.num_nodes));
  hash.add("num_classes", std::to_string(raw.num_classes));
  hash.add("undirected", raw.edges_are_undirected ? "1" : "0");
  hash.add("edges", raw.edges);
  if (raw.edge_weights.defined()) hash.add("edge_weights", raw.edge_weights);
  add_features(hash, raw.features);
  hash.add("labels", raw.labels);
  for (const Split& split : raw.splits) {
    for (const SplitPart& part : parts_of(split)) {
      hash.add(part.name, *part.nodes);
    }
  }
  return hash.hex();
}

}  // namespace ordered_gnn::data
