#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/explain/attribute_importance.h"
#include "ordered_gnn/explain/attribution.h"
#include "ordered_gnn/explain/graph_explanation.h"
#include "ordered_gnn/explain/node_explanation.h"
#include "ordered_gnn/train/trained.h"

namespace ordered_gnn::lab {

/// A trained model on a graph, with all that is to be said of it: what pages,
/// texts and JSON about it are made from.
struct ExplainedModel {
  std::string dataset;
  RunOptions options;
  int64_t num_parameters = 0;
  int64_t num_features = 0;
  int64_t split = 0;  ///< -1: the data has none
  std::vector<std::string> class_names;
  std::vector<std::string> node_names;  ///< may be empty
  Graph network;  ///< the graph that was explained; empty: see `in_parts`
  /// Nodes and edges, loops left out, of a graph that is in parts, whose lists
  /// nobody holds.
  struct Size {
    int64_t nodes = 0, edges = 0;
  };
  std::optional<Size> in_parts;
  /// Along which messages run, see explain::heard_graph(); none: `network`.
  std::optional<Graph> heard;
  GraphExplanation graph;
  std::vector<NodeExplanation> nodes;  ///< those explained one by one
  /// Of those, the first ones; all that were asked for.
  std::vector<NodeAttribution> attributions;
  std::vector<Attribute> attributes;           ///< of the data
  bool has_columns = false;                    ///< attributes are columns
  std::optional<ImportanceReport> importance;  ///< when asked for
  std::vector<Json> curves;                    ///< read_metrics(); may be empty
};

struct ExplainOptions {
  int64_t split = -1;              ///< -1: the checkpoint's, or 0
  std::vector<int64_t> nodes;      ///< to be explained one by one
  bool listed_nodes = false;       ///< and the mistakes and unusual ones
  NodeExplanationOptions details;  ///< of the nodes that were asked for
  /// Whether to measure which attributes matter on the whole graph, and of how
  /// many of them; what is left of its options follows from the checkpoint.
  bool importance = false;
  int64_t importance_attributes = ImportanceOptions().max_attributes;
};

/// Explains the model of a checkpoint on data that fits it, its classes those
/// of the model (match_classes()).
///
/// Of listed nodes fewer neighbours are taken out, and on a large graph fewer
/// of them are explained, and of fewer still is it said which attributes
/// mattered, so that all together take seconds.
///
/// @param file  the checkpoint's; a `metrics.jsonl` beside it gives the curves,
///              and one that cannot be read gives none.
/// @throws UsageError for a split or node that the data does not have, and
///         Error as explain_graph() does.
ExplainedModel explain_checkpoint(const Trained& checkpoint,
                                  const NodeDataset& data,
                                  const std::filesystem::path& file,
                                  const ExplainOptions& options);

/// The same of a graph in parts, by what ranks have found (see
/// scale::PartsRun::explain()): without single nodes and attributes.
/// @param data  the scored nodes, see scale::ScoredNodes.
ExplainedModel explained_parts(const Trained& checkpoint,
                               const NodeDataset& data,
                               const std::filesystem::path& file, int64_t split,
                               GraphExplanation graph);

/// The split that a checkpoint is explained on: the one asked for, or with -1
/// its own where the data has that, the first, or none (-1).
/// @throws UsageError for one that the data does not have.
int64_t explained_split(const Trained& checkpoint, const NodeDataset& data,
                        int64_t asked);

/// The name of a class; its number where classes have no names, "unknown" for
/// -1.
std::string class_name(const ExplainedModel& model, int64_t c);

/// The name of a node; its number where nodes have no names, or an empty one.
std::string node_title(const ExplainedModel& model, int64_t node);

/// The second most probable class of a node; -1 where there is one class.
int64_t runner_up(const NodeExplanation& node);

/// Which attributes mattered to a node; null where that was not computed.
const NodeAttribution* attribution_of(const ExplainedModel& model,
                                      int64_t node);

/// What its attributes are called: "column" or "feature".
std::string attribute_word(const ExplainedModel& model);

}  // namespace ordered_gnn::lab
