#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "data/live/live_graph.h"
#include "ordered_gnn/nn/ordered_gnn.h"
#include "train/live/live_states.h"

namespace ordered_gnn::training {

/// Brings the states of an Ordered GNN to a new version of its graph, layer by
/// layer: rows whose input is another one are computed on the part of the graph
/// that they hear, all rows where these would be more than half of them.
class LayerUpdate {
 public:
  /// Features of rows as the network takes them.
  using FeatureRows =
      std::function<NodeFeatures(const std::vector<int64_t>& rows)>;

  /// All outlive this.
  LayerUpdate(const OrderedGnn& network, const data::LiveGraph& graph,
              FeatureRows features);

  /// All states, from nothing.
  LiveStates computed();
  LiveStates updated(const LiveStates& earlier,
                     const data::ChangeEffect& effect, UpdateWork& work);

 private:
  using State = OrderedGnn::State;
  // Rows of a layer whose states are others than before.
  struct Changed {
    std::vector<int64_t> rows;
    bool all = false;
  };

  at::Tensor first_rows(const std::vector<int64_t>& rows) const;
  Changed update_first(const data::ChangeEffect& effect,
                       LiveStates::Layer& layer);
  Changed update_layer(int64_t number, const Changed& below,
                       const LiveStates::Layer& input,
                       LiveStates::Layer& layer);
  void update_output(const Changed& changed, LiveStates& states);
  /// Lets go of the states of nodes that were removed, where chunks of them
  /// are.
  void clear_gone(const data::ChangeEffect& effect, LiveStates& states) const;

  std::vector<int64_t> reached(const Changed& below);
  std::vector<int64_t> listed_rows(const data::ChangeEffect& effect) const;
  State whole_layer(int64_t number, const LiveStates::Layer& input);
  Changed part_of_layer(int64_t number, const std::vector<int64_t>& rows,
                        const LiveStates::Layer& input,
                        LiveStates::Layer& layer);
  void store_whole(const State& state, LiveStates::Layer& layer) const;
  const Graph& whole_graph();

  const OrderedGnn& network_;
  const data::LiveGraph& graph_;
  const FeatureRows features_;
  std::optional<Graph> whole_graph_;
  std::optional<State> last_whole_;  // of the layer before, when it was whole
  std::vector<int64_t> listed_;      // rows that every layer computes again
  int64_t first_new_ = 0;            // rows that were not there before
  int64_t computed_rows_ = 0, whole_layers_ = 0;
};

}  // namespace ordered_gnn::training
