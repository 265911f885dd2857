#include "data/fingerprint.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <vector>

#include "core/io/sha256.h"
#include "data/content_hash.h"
#include "data/split_checks.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::data {
namespace {

// The digests of an array's pieces, made side by side.
void add(ContentHash& hash, const std::string& label,
         const at::Tensor& values) {
  constexpr int64_t kPieceBytes = ContentHash::kPieceBytes;
  const at::Tensor flat = values.contiguous();
  const auto* bytes = static_cast<const char*>(flat.data_ptr());
  const int64_t size = static_cast<int64_t>(flat.nbytes());
  const int64_t num_pieces = (size + kPieceBytes - 1) / kPieceBytes;
  std::vector<std::string> digests(num_pieces);
  parallel_blocks(num_pieces, [&](int64_t piece) {
    const int64_t begin = piece * kPieceBytes;
    core::Sha256 piece_hash;
    piece_hash.update(bytes + begin, std::min(kPieceBytes, size - begin));
    digests[piece] = piece_hash.hex();
  });
  hash.add(label, flat.scalar_type(), flat.sizes(), digests);
}

void add_counts(ContentHash& hash, const RawDataset& raw) {
  hash.add("num_nodes", std::to_string(raw.num_nodes));
  hash.add("num_classes", std::to_string(raw.num_classes));
  hash.add("undirected", raw.edges_are_undirected ? "1" : "0");
}

void add_labels(ContentHash& hash, const RawDataset& raw) {
  add(hash, "labels", raw.labels);
  for (const Split& split : raw.splits) {
    for (const SplitPart& part : parts_of(split)) {
      add(hash, part.name, *part.nodes);
    }
  }
}

void add_features(ContentHash& hash, const NodeFeatures& features) {
  hash.add("num_features", std::to_string(features.num_features()));
  switch (features.kind()) {
    case NodeFeatures::Kind::dense:
      add(hash, "dense", features.dense_values());
      return;
    case NodeFeatures::Kind::sparse:
      add(hash, "rowptr", features.rows().rowptr);
      add(hash, "col", features.rows().col);
      add(hash, "value", features.rows().value);
      return;
    case NodeFeatures::Kind::identity:
      hash.add("identity", "");
      return;
  }
}

}  // namespace

std::string content_fingerprint(const RawDataset& raw) {
  ContentHash hash;
  add_counts(hash, raw);
  add(hash, "edges", raw.edges);
  if (raw.edge_weights.defined()) {
    add(hash, "edge_weights", raw.edge_weights);
  }
  add_features(hash, raw.features);
  add_labels(hash, raw);
  return hash.hex();
}

void PieceDigests::add(const void* data, int64_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const int64_t room =
        ContentHash::kPieceBytes - bytes_ % ContentHash::kPieceBytes;
    const int64_t some = std::min(size, room);
    open_.update(at, static_cast<size_t>(some));
    bytes_ += some;
    at += some;
    size -= some;
    if (some == room) close();
  }
}

void PieceDigests::close() {
  digests_.push_back(open_.hex());
  open_ = core::Sha256();
}

std::vector<std::string> PieceDigests::take() {
  if (bytes_ % ContentHash::kPieceBytes != 0) close();
  return std::move(digests_);
}

StreamedFingerprint::StreamedFingerprint(int64_t num_edges)
    : num_edges_(num_edges),
      head_bytes_(std::min((ContentHash::kPieceBytes -
                            first_bytes() % ContentHash::kPieceBytes) %
                               ContentHash::kPieceBytes,
                           first_bytes())) {}

void StreamedFingerprint::add_edges(const at::Tensor& edges,
                                    const at::Tensor& weights) {
  const at::Tensor ends = edges.contiguous();
  const int64_t size = ends.size(1) * static_cast<int64_t>(sizeof(int64_t));
  const auto* const first = static_cast<const char*>(ends.data_ptr());
  firsts_.add(first, size);
  const int64_t head =
      std::min(size, head_bytes_ - static_cast<int64_t>(second_head_.size()));
  second_head_.append(first + size, static_cast<size_t>(head));
  seconds_.add(first + size + head, size - head);
  if (!weights.defined()) return;
  has_weights_ = true;
  const at::Tensor flat = weights.contiguous();
  weights_.add(flat.data_ptr(), static_cast<int64_t>(flat.nbytes()));
}

void StreamedFingerprint::add_features(const at::Tensor& rows) {
  const at::Tensor flat = rows.contiguous();
  features_.add(flat.data_ptr(), static_cast<int64_t>(flat.nbytes()));
}

std::string StreamedFingerprint::finish(const RawDataset& nodes,
                                        int64_t num_features) {
  ContentHash hash;
  add_counts(hash, nodes);
  firsts_.add(second_head_.data(), static_cast<int64_t>(second_head_.size()));
  std::vector<std::string> digests = firsts_.take();
  for (std::string& digest : seconds_.take()) {
    digests.push_back(std::move(digest));
  }
  hash.add("edges", at::kLong, {2, num_edges_}, digests);
  if (has_weights_) {
    hash.add("edge_weights", at::kFloat, {num_edges_}, weights_.take());
  }
  hash.add("num_features", std::to_string(num_features));
  hash.add("dense", at::kFloat, {nodes.num_nodes, num_features},
           features_.take());
  add_labels(hash, nodes);
  return hash.hex();
}

}  // namespace ordered_gnn::data
