#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "scale/engines/group.h"
#include "scale/parts/manifest.h"

namespace ordered_gnn::scale {

/// Collects rows of all nodes on rank 0, in the order of their original ids.
/// All ranks call the same functions in the same order.
class NodeGather {
 public:
  /// @param bounds    first part of every rank, see rank_bounds().
  /// @param original  [n] int64, ids of the rank's own nodes, part by part.
  NodeGather(Group& group, const PartsManifest& manifest,
             const std::vector<int64_t>& bounds, at::Tensor original);

  /// @param own  [n, ...] of the rank's own nodes, contiguous, in memory that
  ///             an engine may read.
  /// @return [N, ...] on rank 0, undefined on others.
  at::Tensor rows(const at::Tensor& own) const;

  /// Rows of some nodes.
  struct Some {
    at::Tensor rows;             ///< [M, ...]; undefined on other ranks than 0
    std::vector<int64_t> place;  ///< N: the row of a node; -1: it has none
  };
  /// @param is_wanted  N, by original id.
  Some some_rows(const at::Tensor& own,
                 const std::vector<bool>& is_wanted) const;

  int64_t nodes() const { return first_.back(); }
  bool is_first() const { return group_.rank() == 0; }
  Group& group() const { return group_; }

 private:
  at::Tensor collect(const at::Tensor& own,
                     const std::vector<int64_t>& counts) const;

  Group& group_;
  const at::Tensor original_;
  std::vector<int64_t> first_;  ///< node of every rank, and behind the last
  at::Tensor all_original_;     ///< [N]; on rank 0
};

}  // namespace ordered_gnn::scale
