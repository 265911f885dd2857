#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "scale/parts/manifest.h"
#include "scale/parts/reader.h"

namespace ordered_gnn::scale {

/// What other ranks ask a rank for, told from its own parts: rank q hears a
/// node that sends to one of q's, and fetches the gradients of a node that
/// hears one of q's. So a rank can be had without the others, by NullGroup.
class AskedRows {
 public:
  /// @param trained_share  of the nodes of other ranks, that are drawn as
  ///                       training nodes: whom the last layer is sent to.
  AskedRows(const PartsManifest& manifest, int64_t rank, int64_t ranks,
            double trained_share);

  /// One after the other, all parts of the rank.
  void add(const Part& part);

  /// The answers to the exchanges of a RankWork, in its order: how many rows
  /// others ask for and which, going in and coming back, then the nodes of
  /// those that come; at first of any layer, from the second time on of the
  /// last layer of a training step.
  void answer(const at::Tensor& send, at::Tensor& receive);

  /// Rows that all others ask for in a layer.
  int64_t asked_in() const;

 private:
  struct Row {
    int64_t rank;  ///< that asks
    int64_t node;  ///< of this rank, its new id
    bool is_for_loss;
    bool operator<(const Row& other) const;
  };
  using Rows = std::vector<Row>;
  int64_t rank_of(int64_t node) const;
  bool is_trained(int64_t node) const;
  std::vector<int64_t> counts(const Rows& rows, bool for_loss) const;
  std::vector<int64_t> nodes(const Rows& rows, bool for_loss) const;

  const PartsManifest& manifest_;
  const std::vector<int64_t> bounds_;
  const int64_t rank_, ranks_;
  const double trained_share_;
  Rows in_, out_;  ///< rising
  int64_t calls_ = 0;
};

}  // namespace ordered_gnn::scale
