#pragma once
#include <cstdint>

#include "ordered_gnn/nn/model.h"
#include "scale/ranks/rank_work.h"

namespace ordered_gnn::scale {

/// What rank 0 lets all ranks do next. It alone decides, keeps the optimiser
/// and writes files; the others hold their parts and nothing that would have to
/// be saved.
enum class CommandKind : int64_t {
  stop,      ///< the run is over
  split,     ///< the loss of another split follows
  step,      ///< parameters follow; forward and backward
  evaluate,  ///< parameters follow; logits of scored nodes
  predict,   ///< parameters follow; logits of all nodes
  explain,   ///< parameters follow; what the model does, on the parts of a
             ///< split (`epoch`; -1: none)
  count,     ///< rows that ranks have sent so far
  both,      ///< parameters follow; logits of scored nodes, and a step
};

struct Command {
  CommandKind kind = CommandKind::stop;
  int64_t epoch = 0;
};

/// Rank 0 tells the others, which take it.
void tell(Group& group, const Command& command);
Command hear(Group& group);

/// All parameters of the model, from rank 0 to the others.
void share_parameters(Group& group, NodeModel& model);

/// From rank 0 to the others.
void share_loss(Group& group, int64_t num_classes, LossTerms& terms);

/// The sum over all ranks, on rank 0; 0 on others.
WireCount add_up(Group& group, const WireCount& own);

/// Does what rank 0 tells until it says stop; for all other ranks.
void serve(Group& group, RankWork& work, NodeModel& model, int64_t num_classes);

}  // namespace ordered_gnn::scale
