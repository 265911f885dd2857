#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/row_exchange.h"
#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/nn/model.h"
#include "scale/batches/batch_halo.h"
#include "scale/batches/history.h"
#include "scale/engines/group.h"
#include "scale/ranks/halo_exchange.h"
#include "scale/ranks/part_team.h"

namespace ordered_gnn::scale {

struct BatchSettings {
  int64_t parts = 1;    ///< of a batch, at most
  bool history = true;  ///< whether parts outside a batch are heard
  int64_t seed = 0;     ///< fixes the batches
  int64_t layers = 1;   ///< of the model
  int64_t threads = 1;
};

/// Training steps on some of the parts of a graph, all of which this process
/// has. Members of a batch exchange rows and gradients as in a step on the
/// whole graph. Rows of other parts that they hear come from the history, which
/// passes over the whole graph and steps write; no gradients leave the batch.
/// Without a history such messages are left out, and degrees count those that
/// are there.
class PartBatches {
 public:
  /// @param lists  of all parts.
  PartBatches(Group& group, const PartsManifest& manifest,
              const std::vector<LocalLists>& lists,
              const BatchSettings& settings);

  /// Batches of an epoch.
  int64_t count() const { return count_; }

  /// What a part's graph exchanges rows by: `whole` but for steps on batches.
  std::shared_ptr<core::RowExchange> exchange_of(
      int64_t part, std::shared_ptr<core::RowExchange> whole);

  /// Around a pass over all parts outside training, whose rows the history
  /// takes, by the parameters of `model`.
  void begin_whole();
  void end_whole(const NodeModel& model);
  /// Whether all of the history is of such a pass by the parameters that the
  /// model has now; true without one.
  bool is_exact(const NodeModel& model) const;

  /// Calls the body for every part of a batch, each on a thread of its own.
  /// `weight` is how much its loss counts: the number of all parts by that of
  /// the batch, so that batches are, on the mean, as the whole graph.
  using Body = std::function<void(int64_t part, double weight)>;
  /// @return the parts, rising.
  std::vector<int64_t> run(int64_t epoch, int64_t batch, const Body& body);

  /// For the body of run(): the graph of a part in this batch.
  Graph graph_of(int64_t part, const Graph& whole) const;

 private:
  class Side;
  at::Tensor fetch(int64_t part, core::RowExchange& whole,
                   const at::Tensor& rows, core::RowExchange::Side side);
  void add_absent(int64_t part, int64_t sum, core::RowExchange::Side side,
                  at::Tensor& rows) const;
  void begin(const std::vector<int64_t>& members);

  Group& group_;
  const BatchSettings settings_;
  std::vector<BatchHalo> halos_;
  std::unique_ptr<HistoryStore> history_;  ///< null: none is kept
  const int64_t count_;
  PartTeam team_;
  std::vector<int64_t> sums_;  ///< of the pass, that a part has asked for
  std::vector<bool> is_member_;
  RankRoutes routes_;
  std::unique_ptr<HaloExchange> exchange_;  ///< of the members; null: no batch
  std::vector<std::shared_ptr<core::RowExchange>> exchanges_;  ///< by part
  std::vector<at::Tensor> exact_for_;  ///< parameters; empty: for none
};

}  // namespace ordered_gnn::scale
