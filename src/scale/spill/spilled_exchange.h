#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/row_exchange.h"
#include "scale/parts/manifest.h"
#include "scale/ranks/rank_parts.h"
#include "scale/ranks/wire.h"
#include "scale/spill/far_rounds.h"
#include "scale/spill/paged_memory.h"
#include "scale/spill/turn_team.h"

namespace ordered_gnn::scale {

/// How parts that take turns in one process fetch rows of each other and of
/// other ranks: all bring theirs, which go to other ranks meanwhile, then each
/// takes what its halo needs, from memory or from the disk where the rows have
/// gone.
class SpilledExchange {
 public:
  /// All must outlive it.
  /// @param bounds  first part of every rank, see rank_bounds().
  /// @param layers  of the model.
  SpilledExchange(Group& group, PagedMemory& memory, TurnTeam& team,
                  const PartsManifest& manifest,
                  const std::vector<int64_t>& bounds, int64_t layers,
                  Wire wire);

  /// @param place  of the part among those of the rank.
  std::shared_ptr<core::RowExchange> of_part(int64_t place,
                                             const LocalLists& lists);

  /// Waits until all rows have come and gone; when all parts are done.
  void settle() { far_.settle(); }
  /// When a part has failed, so that others wait in vain.
  void abort() { far_.abort(); }
  /// Forgets what a pass that failed has left.
  void reset();

  /// Bytes of rows that went to other ranks.
  int64_t sent() const { return far_.sent(); }

 private:
  class PartSide;
  struct Halo {
    at::Tensor nodes;            ///< [H] int64, new ids, rising
    at::Tensor sends, receives;  ///< [H] bool

    const bool* wanted(core::RowExchange::Side side) const;
  };
  at::Tensor fetch(int64_t place, const Halo& halo, const at::Tensor& rows,
                   core::RowExchange::Side side);
  void ask_others();
  void take_halo(const Halo& halo, const FarRounds::Round& round,
                 const at::Tensor& out);
  int64_t row_of(int64_t part, int64_t node,
                 core::RowExchange::Side side) const;
  int64_t layer_of(int64_t visit) const;

  const int64_t ranks_;
  PagedMemory& memory_;
  TurnTeam& team_;
  const PartsManifest& manifest_;
  const int64_t first_part_, own_parts_, layers_;
  const Wire wire_;
  bool has_asked_ = false;
  std::vector<std::shared_ptr<const Halo>> halos_;  ///< of the rank's parts
  /// This round and, for parts that are ahead, the next.
  std::shared_ptr<FarRounds::Round> rounds_[2];
  std::vector<int64_t> visits_;
  FarRounds far_;  ///< last: it ends before what it uses
};

}  // namespace ordered_gnn::scale
