#pragma once
#include <cstdint>
#include <memory>

#include "data/live/live_graph.h"
#include "ordered_gnn/nn/ordered_gnn.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/trained.h"
#include "train/live/live_states.h"

namespace ordered_gnn::training {

/// A trained model on a graph that changes, on the CPU. What it gives is bit
/// for bit what predict() gives for LiveGraph::dataset(): an Ordered GNN keeps
/// the states of all its layers and computes those rows again that a change
/// reaches (sums are made in the same order, and every row is treated alike);
/// a model that needs the whole graph is computed as a whole.
class LiveModel {
 public:
  /// @param options  with how many threads, and Correct & Smooth.
  LiveModel(Trained trained, PredictionOptions options);

  const Trained& trained() const { return trained_; }
  const PredictionOptions& options() const { return options_; }

  /// @throws Error as require_fit() does, naming `where`.
  void require_fit(const data::LiveGraph& graph,
                   const std::filesystem::path& where) const;

  /// Why every change computes all of it, to be read after "because"; empty:
  /// rows are computed one by one.
  std::string whole_because(const data::LiveGraph& graph) const;

  /// Bytes of the states of so many rows, about.
  int64_t state_bytes(int64_t rows) const;

  LiveStates computed(const data::LiveGraph& graph) const;
  /// The same, from the states of an earlier version.
  /// @param effect  of all changes since.
  LiveStates updated(const LiveStates& earlier, const data::LiveGraph& graph,
                     const data::ChangeEffect& effect, UpdateWork& work) const;

 private:
  LiveStates computed_whole(const data::LiveGraph& graph) const;

  Trained trained_;
  PredictionOptions options_;
  const OrderedGnn* network_ = nullptr;  // of trained_; null for other models
};

}  // namespace ordered_gnn::training
