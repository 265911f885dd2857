#pragma once
#include "core/row_exchange.h"
#include "ordered_gnn/core/random.h"

namespace ordered_gnn::core {

/// What a model knows of the rows that it has fetched for a layer of a training
/// step. It never changes a result, only what has to travel.
struct RowKnowledge {
  /// Elements that dropout at this rate by this key does not keep are zeros.
  double rate = 0;
  DropoutKey key;
  /// Nothing but the loss hears what is made of the rows.
  bool is_last = false;
  int64_t layer = 0;  ///< from 1 on; 0: it is not known
};

/// An exchange that makes use of it.
class ToldExchange : public RowExchange {
 public:
  /// Tells what is known of the rows that are fetched next on side `in` and, in
  /// backward, of the gradients that come back to them.
  virtual void announce(const RowKnowledge& known) = 0;
};

}  // namespace ordered_gnn::core
