#pragma once
#include <filesystem>
#include <vector>

#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/trained.h"

namespace ordered_gnn {

/// A trained model of several that answer together, and how it is asked:
/// with the training labels of its own split where it reads labels.
struct EnsembleMember {
  Trained trained;
  PredictionOptions options;
};

/// What M models say together of every node: the mean of their probabilities,
///
///   p[v] = (1 / M) sum_i softmax(logits_i[v])
///
/// Labels are its largest entries and logits are log p, float32, no smaller
/// than that of the smallest normal number, so that their softmax is p. There
/// are neither embeddings nor gates: those belong to one model.
/// @param data  as predict() of a Trained takes it, in the classes of the first
///              member.
/// @throws UsageError without members, or when one asks for embeddings or
///         gates; Error as predict() and require_together() do.
Prediction predict_together(const std::vector<EnsembleMember>& members,
                            const NodeDataset& data);

/// @param where  what the message begins with, the file of `other` for one.
/// @throws Error unless `other` may answer together with `first`: the same
///         classes in the same order, the same number of features, and data
///         that both read in the same way (direction, loops, features,
///         weights).
void require_together(const Trained& first, const Trained& other,
                      const std::filesystem::path& where = "a trained model");

}  // namespace ordered_gnn
