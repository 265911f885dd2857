#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "core/row_exchange.h"
#include "scale/ranks/rank_parts.h"

namespace ordered_gnn::scale {

/// Rows of nodes that a rank has sent to others.
struct WireCount {
  int64_t bytes = 0;
  /// Bytes that the formula expects: masks decide how many elements travel.
  double expected = 0;
};

/// How the parts of a rank bring rows and take those that their halos need,
/// from each other or from other ranks, round by round.
class RankExchange {
 public:
  virtual ~RankExchange() = default;

  /// How a part of the rank, counted from its first, fetches rows.
  /// @param halo  rows of its halo.
  virtual std::shared_ptr<core::RowExchange> of_part(int64_t part,
                                                     int64_t halo) = 0;

  /// In a last layer rows go along these routes, which must have nodes and
  /// outlive this; halo rows that are on none of them are zeros. Null: as in
  /// any layer.
  virtual void use_loss_routes(const RankRoutes* routes) = 0;

  /// Lets all that wait go with an Error; the rounds begin anew with reset().
  virtual void abort() = 0;
  virtual void reset() = 0;
  /// Waits until all that was sent has gone; when all parts are done.
  virtual void settle() = 0;

  /// Since it was made, but for what was fetched in uncounted().
  WireCount sent() const { return sent_; }
  void uncounted(const std::function<void()>& work) {
    const WireCount before = sent_;
    work();
    sent_ = before;
  }

 protected:
  WireCount sent_;
};

}  // namespace ordered_gnn::scale
