#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ordered_gnn/explain/graph_explanation.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/train/run_options.h"
#include "scale/batches/part_batches.h"
#include "scale/engines/group.h"
#include "scale/ranks/logits_gather.h"
#include "scale/ranks/part_team.h"
#include "scale/ranks/rank_exchange.h"
#include "scale/ranks/wire.h"
#include "scale/spill/spill_room.h"

namespace ordered_gnn::scale {

/// What the loss of a run needs to know of all parts together.
struct LossTerms {
  int64_t split = 0;
  at::Tensor weights;       ///< [C] float32 of the classes; undefined: all 1
  double total_weight = 1;  ///< of the labelled training nodes of the graph
};

/// A rank's share of training: its parts, each with a replica of the model that
/// reads the same parameters and has gradients of its own. All ranks call the
/// same functions in the same order.
class RankWork {
 public:
  /// Gives a part by its number.
  using PartSource = std::function<Part(int64_t part)>;

  /// Reads the rank's parts.
  /// @param threads  that it may use.
  /// @param spill    a limit of its memory, on a CPU; of all ranks or none.
  /// @param device   where parts are computed. On a GPU, of this rank or of all
  ///                 ranks of a process; parameters, gradients and logits come
  ///                 from the CPU and go there.
  RankWork(Group& group, const PartSource& source,
           const PartsManifest& manifest, const RunOptions& options,
           int64_t threads, Wire wire = Wire::fp32,
           const SpillOptions* spill = nullptr, at::Device device = at::kCPU);
  ~RankWork();

  /// Takes the parameters of `model` for all passes to come; it must outlive
  /// them.
  void use_model(NodeModel& model);
  /// Before training. @throws Error when even the least memory that it takes
  /// is not left.
  void use_loss(const LossTerms& terms);

  /// Training steps that an epoch has: one, or one for every batch of parts.
  int64_t steps_per_epoch() const { return batches_ ? batches_->count() : 1; }
  /// Before the steps of an epoch.
  void begin_epoch();

  struct StepLoss {
    double loss = 0;
    double share = 1;  ///< of the parts that the step computed
  };
  /// Forward and backward of one training step.
  /// @return on rank 0 the loss, that of a batch as an estimate of that of all
  ///         parts; the gradients of the model's parameters are in them.
  StepLoss step(int64_t epoch, int64_t index = 0);

  /// Logits of all nodes that are scored, of all parts, part by part; on rank 0
  /// alone.
  at::Tensor evaluate();

  /// Whether evaluate_and_step() gains something: rows of one pass travel while
  /// the other computes. Only between ranks, on CPUs and in memory.
  bool can_do_both() const { return beside_ != nullptr; }
  struct Both {
    at::Tensor logits;
    StepLoss step;
  };
  /// evaluate() and step(epoch) by the same parameters at once, with the bits
  /// of each; where can_do_both().
  Both evaluate_and_step(int64_t epoch);

  /// Hands the logits of all nodes of all parts to `on_part`, part by part in
  /// order, on rank 0 alone, where those of one rank are in memory at a time.
  using OnPart = std::function<void(int64_t part, const at::Tensor& logits)>;
  void predict(const OnPart& on_part);

  /// What the model does on the whole graph: the numbers of explain_graph(),
  /// with the same bits. Besides what evaluation takes, a rank keeps the states
  /// of its nodes of all layers until they are described, rank 0 a table of all
  /// nodes; on rank 0 alone.
  /// @param split  whose parts nodes are in; -1: none.
  /// @throws Error as explain_graph() does.
  GraphExplanation explain(int64_t split);

  /// Rows of nodes that this rank has sent so far.
  WireCount sent() const;
  /// Where rows go that do not fit into memory; null: all of them have to.
  const SpillRoom* spill_room() const { return spill_.get(); }
  const ModelShape& shape() const { return shape_; }

  struct PartRun;  ///< a part and its replica of the model

 private:
  void read_parts(const PartSource& source, bool does_both);
  void read_spilled(const PartSource& source);
  enum class PassKind : int64_t { reading, training, evaluation, explanation };
  using PartBody = std::function<void(PartRun&)>;
  void run_parts(PassKind kind, const PartBody& body);
  void run_both(const PartBody& body, const PartBody& beside);
  std::vector<int64_t> train_parts(int64_t epoch, int64_t index);
  void route_loss();
  void train_part(PartRun& part, int64_t epoch, const Graph& graph,
                  double weight);
  StepLoss fold_step(const std::vector<int64_t>& places);
  void compute_logits();
  at::Tensor gather_logits();
  void require_training_memory() const;
  void copy_parameters();
  std::vector<at::Tensor> take_gradients(const std::vector<int64_t>& places);
  void set_gradients(const at::Tensor& flat);

  Group& group_;
  const PartsManifest& manifest_;
  const RunOptions options_;
  const std::vector<int64_t> bounds_;
  const ModelShape shape_;
  const Wire wire_;
  const int64_t threads_;
  const at::Device device_;
  std::unique_ptr<SpillRoom> spill_;  ///< instead of the next four
  int64_t sent_to_read_ = 0;          ///< bytes of rows, before the first pass
  std::vector<LocalLists> lists_;     ///< of the rank's parts
  RankRoutes routes_, loss_routes_;
  std::unique_ptr<PartTeam> team_;
  std::unique_ptr<RankExchange> exchange_;
  std::unique_ptr<RankExchange> beside_;  ///< null: passes do not run at once
  std::unique_ptr<LogitsGather> gather_;  ///< of the pass beside
  std::unique_ptr<PartBatches> batches_;  ///< null: steps are of all parts
  std::vector<std::unique_ptr<PartRun>> parts_;
  NodeModel* model_ = nullptr;
  /// On a GPU: what the replicas of the model read.
  std::map<std::string, at::Tensor> parameters_there_;
  LossTerms terms_;
  std::vector<std::string> with_gradient_;  ///< parameters, in the last step
};

}  // namespace ordered_gnn::scale
