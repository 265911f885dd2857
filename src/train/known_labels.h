#pragma once
#include <cstdint>

#include "ordered_gnn/core/random.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/nn/model.h"

namespace ordered_gnn::training {

/// The labelled training nodes of a split: all that a model may be told.
KnownLabels training_labels(const NodeDataset& data, const Split& split);

/// The same of a split by its number, for a model that reads labels.
/// @throws Error when the data has no such split, or no label in its training
///         part.
KnownLabels training_labels(const NodeDataset& data, int64_t split);

/// Training labels in two parts: what a model is told in one step, and what it
/// has to find out.
struct SharedLabels {
  KnownLabels told, asked;
};

/// Draws floor(rate n) of the n labels to be told, at most all but one; the
/// rest is asked for. A rate of 1 tells and asks for all. Fixed by the key; the
/// sizes are fixed by n and the rate, and the host waits for nothing, so that a
/// CUDA graph can hold the call.
SharedLabels share_labels(const KnownLabels& all, double rate,
                          const DropoutKey& key);

}  // namespace ordered_gnn::training
