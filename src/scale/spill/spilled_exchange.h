#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/row_exchange.h"
#include "scale/parts/manifest.h"
#include "scale/ranks/rank_parts.h"
#include "scale/ranks/wire.h"
#include "scale/spill/paged_memory.h"
#include "scale/spill/turn_team.h"

namespace ordered_gnn::scale {

/// How parts that take turns in one process fetch rows of each other: all bring
/// theirs, then each takes what its halo needs, from memory or from the disk
/// where the rows have gone meanwhile.
class SpilledExchange {
 public:
  /// All must outlive it.
  SpilledExchange(PagedMemory& memory, TurnTeam& team,
                  const PartsManifest& manifest, Wire wire);

  std::shared_ptr<core::RowExchange> of_part(int64_t part,
                                             const LocalLists& lists);

  /// Forgets what a pass that failed has left.
  void reset();

 private:
  class PartSide;
  struct Halo {
    at::Tensor nodes;            ///< [H] int64, new ids, rising
    at::Tensor sends, receives;  ///< [H] bool
  };
  at::Tensor fetch(int64_t part, const Halo& halo, const at::Tensor& rows,
                   core::RowExchange::Side side);
  void take_halo(const Halo& halo, const bool* is_wanted,
                 const std::vector<at::Tensor>& rows, const at::Tensor& out);

  PagedMemory& memory_;
  TurnTeam& team_;
  const PartsManifest& manifest_;
  const Wire wire_;
  /// Rows of every part in this round and, of those that are ahead, the next.
  std::vector<at::Tensor> rounds_[2];
  std::vector<int64_t> visits_;
};

}  // namespace ordered_gnn::scale
