#pragma once
#include <optional>
#include <vector>

#include "core/told_exchange.h"

namespace ordered_gnn::scale {

/// What a model has said of the rows that a part fetches, fetch by fetch.
class RowNews {
 public:
  /// Of the rows that are fetched next on side `in`.
  void announce(const core::RowKnowledge& known) { announced_ = known; }

  /// Of those that are fetched now. Gradients come back to the layers in the
  /// reverse of their order.
  core::RowKnowledge next(core::RowExchange::Side side) {
    core::RowKnowledge known;
    if (side == core::RowExchange::Side::in) {
      if (announced_) known = *announced_;
      announced_.reset();
      to_come_back_.push_back(known);
    } else if (!to_come_back_.empty()) {
      known.is_last = to_come_back_.back().is_last;
      known.layer = to_come_back_.back().layer;
      to_come_back_.pop_back();
    }
    return known;
  }

 private:
  std::optional<core::RowKnowledge> announced_;
  std::vector<core::RowKnowledge> to_come_back_;  ///< of layers, for backward
};

}  // namespace ordered_gnn::scale
