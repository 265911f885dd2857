#pragma once
#include <ATen/core/Tensor.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/row_exchange.h"
#include "scale/engines/group.h"
#include "scale/ranks/part_team.h"
#include "scale/ranks/rank_parts.h"
#include "scale/ranks/wire.h"

namespace ordered_gnn::scale {

/// Where the parts of a rank meet: every round all of them bring rows, what
/// other ranks need of these is sent, and all take what their halo needs, from
/// each other or from what was received.
class HaloExchange {
 public:
  /// All must outlive it.
  /// @param layers  of the model, each of which fetches once forward and once
  ///                backward.
  HaloExchange(Group& group, const RankRoutes& routes, PartTeam& team,
               int64_t layers, Wire wire = Wire::fp32);

  /// How a part of the rank, counted from its first, fetches rows.
  /// @param halo  rows of its halo.
  std::shared_ptr<core::RowExchange> of_part(int64_t part, int64_t halo);

  /// Lets all that wait go with an Error; the rounds begin anew with reset().
  void abort();
  void reset();

  /// Bytes of rows that this rank has sent to others so far.
  int64_t sent_bytes() const { return sent_bytes_; }
  void forget_sent() { sent_bytes_ = 0; }

 private:
  class PartSide;
  // One meeting. Two take turns: nobody comes to the next but one before all
  // have left this one.
  struct Round {
    int64_t arrived = 0, left = 0;
    bool is_done = false;
    std::vector<at::Tensor> rows;  ///< of every part
    at::Tensor send, receive;
  };

  at::Tensor fetch(int64_t part, int64_t halo, const at::Tensor& rows,
                   core::RowExchange::Side side);
  at::ScalarType type_on_wire(const at::Tensor& rows) const;
  Round& enter(int64_t part, const at::Tensor& rows, const SideRoutes& side);
  void meet(Round& round, const SideRoutes& side);
  void leave(Round& round);

  Group& group_;
  const RankRoutes& routes_;
  PartTeam& team_;
  const int64_t layers_;
  const Wire wire_;
  const int64_t parts_;
  std::mutex mutex_;
  std::condition_variable met_;
  std::vector<int64_t> visits_;  ///< rounds that a part has entered
  Round rounds_[2];
  bool is_aborted_ = false;
  int64_t rounds_met_ = 0;
  std::atomic<int64_t> sent_bytes_{0};
};

}  // namespace ordered_gnn::scale
