#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/live/live_graph.h"
#include "lab/page/explained_model.h"
#include "train/live/live_model.h"

namespace ordered_gnn::lab {

/// A model that is served, and what tells it from others.
struct ServedModel {
  training::LiveModel model;
  std::string fingerprint;               ///< of its file
  std::vector<std::string> class_names;  ///< C of them
};

/// What a request is answered from: a graph after some changes and all that the
/// model says of it. Nothing in it changes.
struct ServedVersion {
  int64_t sequence = 0;  ///< changes that it has had
  std::shared_ptr<const ServedModel> model;
  data::LiveGraph graph;
  training::LiveStates states;
};

/// What explanations need of a version, without its states. Numbers of nodes
/// are those of `dataset`.
struct ExplainedVersion {
  int64_t sequence = 0;
  std::shared_ptr<const ServedModel> model;
  data::LiveGraph graph;
  NodeDataset dataset;
  std::vector<int64_t> rows;  ///< of the nodes
  ExplainedModel explained;   ///< the table of its nodes, none explained
};

/// One pass of the model over the graph; takes memory for a copy of it.
std::shared_ptr<const ExplainedVersion> explained_version(
    const ServedVersion& version);

}  // namespace ordered_gnn::lab
