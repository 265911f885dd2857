#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/io/sha256.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// SHA-256 (64 hexadecimal digits) of what the dataset says: edges, features,
/// labels and splits with their shapes and types. Names, notes and file paths
/// do not count, so a converted copy has the fingerprint of its source.
///
/// Every array enters as the digests of its 1 MiB pieces, which are computed
/// side by side; the result does not depend on the number of threads.
std::string content_fingerprint(const RawDataset& raw);

/// The digests of the pieces of an array that comes in order.
class PieceDigests {
 public:
  void add(const void* data, int64_t size);
  std::vector<std::string> take();

 private:
  void close();

  core::Sha256 open_;
  int64_t bytes_ = 0;
  std::vector<std::string> digests_;
};

/// content_fingerprint() of a dataset with dense features that comes piece by
/// piece.
class StreamedFingerprint {
 public:
  /// @param num_edges  that will come: ends lie behind all beginnings in the
  ///                   array, and pieces go across.
  explicit StreamedFingerprint(int64_t num_edges);

  /// @param weights  undefined: there are none.
  void add_edges(const at::Tensor& edges, const at::Tensor& weights);
  /// In the order of the nodes.
  void add_features(const at::Tensor& rows);
  /// @param nodes  gives all else.
  std::string finish(const RawDataset& nodes, int64_t num_features);

 private:
  int64_t first_bytes() const {
    return num_edges_ * static_cast<int64_t>(sizeof(int64_t));
  }

  const int64_t num_edges_;
  const int64_t head_bytes_;  ///< of the ends, in a piece with beginnings
  std::string second_head_;
  PieceDigests firsts_, seconds_, weights_, features_;
  bool has_weights_ = false;
};

}  // namespace ordered_gnn::data
