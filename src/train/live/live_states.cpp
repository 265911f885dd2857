#include "train/live/live_states.h"

namespace ordered_gnn::training {

LiveStates LiveStates::moved(const core::RowMoves& moves) const {
  LiveStates out;
  for (const Layer& layer : layers) {
    out.layers.push_back({layer.h.moved(moves), layer.gate.moved(moves)});
  }
  out.embeddings = embeddings.moved(moves);
  out.logits = logits.moved(moves);
  out.probabilities = probabilities.moved(moves);
  return out;
}

}  // namespace ordered_gnn::training
