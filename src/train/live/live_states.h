#pragma once
#include <cstdint>
#include <vector>

#include "core/row_table.h"

namespace ordered_gnn::training {

/// What a model has computed of every row of a LiveGraph. Versions share what
/// they have in common. Rows of nodes that are gone hold anything.
struct LiveStates {
  /// Rows of nodes between two layers.
  struct Layer {
    core::RowTable h;     ///< width D
    core::RowTable gate;  ///< width G; 0 before the first layer, without gates
  };
  /// Before the first layer and after every one; of a model that is computed as
  /// a whole none.
  std::vector<Layer> layers;
  core::RowTable embeddings;  ///< of a model that is computed as a whole
  core::RowTable logits, probabilities;

  /// The same of a graph whose rows were moved.
  LiveStates moved(const core::RowMoves& moves) const;

  /// The last states.
  const core::RowTable& last() const {
    return layers.empty() ? embeddings : layers.back().h;
  }
};

/// What an update took.
struct UpdateWork {
  int64_t rows = 0;          ///< computed, of all layers together
  int64_t changed = 0;       ///< nodes whose logits are others now
  int64_t whole_layers = 0;  ///< computed for all nodes
};

}  // namespace ordered_gnn::training
