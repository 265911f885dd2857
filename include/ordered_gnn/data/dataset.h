#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ordered_gnn/core/features.h"
#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/data/columns.h"

namespace ordered_gnn {

namespace data {
struct Table;
}  // namespace data

/// Most classes a dataset may have; guards against a stray number in a label
/// column becoming the width of a model.
inline constexpr int64_t kMaxClasses = 1000000;
/// The same for feature columns; node-id features are not bound by it.
inline constexpr int64_t kMaxFeatures = 100000000;

/// Disjoint node index sets, int64, in rising order.
struct Split {
  at::Tensor train;
  at::Tensor val;
  at::Tensor test;
};

/// Where a dataset came from and what reading it decided.
struct Provenance {
  std::string format;              ///< loader name, for example "geom-gcn"
  std::vector<std::string> files;  ///< files read, in order
  std::vector<std::string> notes;  ///< what was dropped, repaired or assumed
  std::string fingerprint;         ///< hash of the content that was loaded
};

/// How to turn a RawDataset into model input.
struct Treatment {
  Direction direction = Direction::as_stored;
  SelfLoops self_loops = SelfLoops::add;
  enum class Features { raw, row_normalized, identity };
  Features features = Features::row_normalized;
  /// Of data without weights it says nothing.
  enum class EdgeWeights { use, ignore };
  EdgeWeights edge_weights = EdgeWeights::use;
};
std::string to_string(Treatment::Features features);
std::string to_string(Treatment::EdgeWeights edge_weights);
Treatment::Features parse_feature_treatment(const std::string& name);
Treatment::EdgeWeights parse_edge_weights(const std::string& name);

/// What a user says of a treatment; without a value it is chosen, see
/// resolve_treatment(). Options and recipes spell that "auto".
struct TreatmentChoice {
  std::optional<Direction> direction;
  std::optional<SelfLoops> self_loops;
  std::optional<Treatment::Features> features;
  /// Always chosen by who reads the data: files recommend nothing.
  Treatment::EdgeWeights edge_weights = Treatment::EdgeWeights::use;

  TreatmentChoice() = default;
  /// Everything as in `treatment`.
  explicit TreatmentChoice(const Treatment& treatment)
      : direction(treatment.direction),
        self_loops(treatment.self_loops),
        features(treatment.features),
        edge_weights(treatment.edge_weights) {}
};

/// A dataset exactly as its files state it, before any choice about direction,
/// loops or feature treatment.
struct RawDataset {
  std::string name;
  int64_t num_nodes = 0;
  at::Tensor edges;  ///< [2, E] int64, as stored
  /// [E] float32 on the CPU, finite and 0 or more; undefined: edges have none.
  at::Tensor edge_weights;
  /// True when the files give each undirected edge once.
  bool edges_are_undirected = false;
  NodeFeatures features;
  at::Tensor labels;  ///< [N] int64, -1 = unlabelled
  int64_t num_classes = 0;
  std::vector<Split> splits;             ///< may be empty
  std::string split_set;                 ///< name of where they come from
  std::vector<std::string> node_names;   ///< empty: nodes are 0 .. N-1
  std::vector<std::string> class_names;  ///< empty: classes are 0 .. C-1
  /// Of the columns of features; empty: they are 0 .. F-1.
  std::vector<std::string> feature_names;
  /// How the columns of a table became features; empty: they came as numbers.
  std::vector<Column> columns;
  /// The table itself, in the user's units; null without. Features can be made
  /// of it again, by the columns of another model.
  std::shared_ptr<const data::Table> table;
  /// What the dataset's publishers do with it; files of ours carry it along.
  std::optional<Treatment> recommended;
  Provenance provenance;
};

/// A dataset ready for a model. Label -1 is never trained or scored on.
struct NodeDataset {
  std::string name;
  Graph graph;
  NodeFeatures features;
  at::Tensor labels;  ///< [N] int64
  int64_t num_classes = 0;
  std::vector<Split> splits;
  std::string split_set;
  std::vector<std::string> node_names;
  std::vector<std::string> class_names;
  std::vector<std::string> feature_names;  ///< empty: they are 0 .. F-1
  std::vector<Column> columns;             ///< empty: not made from a table
  Treatment treatment;
  /// It has weights of edges, which the treatment leaves out.
  bool ignores_edge_weights = false;
  /// What the treatment subtracted from every feature, see row_normalized();
  /// rows that join later are treated alike.
  float feature_minimum = 0;
  /// [N] int64 on the CPU: node r was node order[r] of the data as it was
  /// loaded; undefined: it is in that order. See reordered().
  at::Tensor order = {};
  Provenance provenance;

  int64_t num_nodes() const { return graph.num_nodes(); }
};

/// Checks that the parts fit each other: at least one node, edge ends in
/// [0, N), weights of edges finite and 0 or more, one feature row and label per
/// node, labels in [-1, C), split indices
/// rising in [0, N), parts disjoint. A part may be empty and all labels may be
/// missing: that matters to training only, see require_trainable(). Every
/// loader calls it before returning.
/// @throws Error naming the part and the first offending node or edge.
void validate(const RawDataset& raw);

/// The treatment that a choice stands for. What is not chosen is what the
/// dataset recommends (named ones do, and files written from them); without a
/// recommendation: as_stored, add, and row_normalized unless a feature is
/// negative (sums of mixed signs normalise nothing) or the features were made
/// of a table, whose columns have their own treatment: then raw.
Treatment resolve_treatment(const TreatmentChoice& choice,
                            const RawDataset& raw);

/// Applies the treatment; graph, features and splits are validated. A file
/// that gives each undirected edge once is always read both ways, whatever
/// the treatment's direction, and the result says `undirected`. Edge weights
/// become those of the graph, see Graph::from_edges(), unless they are ignored;
/// what had to be decided is in provenance.notes.
NodeDataset prepare(const RawDataset& raw, const Treatment& treatment);

/// The dataset with graph, features, labels and splits on `device`, feature
/// values stored as `type` (see NodeFeatures::to). On a GPU sparse features
/// with many entries become dense, where a matrix product is faster than
/// sums over lists. Shares all tensors that need no change.
NodeDataset to_device(const NodeDataset& data, at::Device device,
                      at::ScalarType type = at::kFloat);

/// @throws Error unless the train and val parts of the split each hold a
///         labelled node, and the test part one too or no node at all; and
///         there are two classes or more.
void require_trainable(const NodeDataset& data, const Split& split,
                       const std::string& split_name);

}  // namespace ordered_gnn
