#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "data/live/live_graph.h"
#include "lab/serve/served_version.h"
#include "ordered_gnn/train/execution.h"

namespace ordered_gnn::lab {

/// Reads a checkpoint for the CPU.
/// @throws Error as load_trained() does.
std::shared_ptr<const ServedModel> load_served_model(
    const std::filesystem::path& checkpoint, const ExecutionOptions& execution);

/// A graph that was read for a model.
struct LoadedGraph {
  data::LiveGraph graph;
  std::string identity;  ///< see graph_identity()
};

/// Reads a graph with the treatment that the model has learnt with.
/// @throws Error when it does not fit the model.
LoadedGraph load_served_graph(const ServedModel& model,
                              const std::filesystem::path& data);

/// @throws Error unless a model can take over the graph of another: the same
///         features, columns, treatment and classes.
void require_successor(const ServedModel& before, const ServedModel& after,
                       const data::LiveGraph& graph,
                       const std::filesystem::path& checkpoint);

/// How the file of a graph is known without reading it: name, size and time.
/// No object for what is no file.
Json file_marks(const std::filesystem::path& data);

}  // namespace ordered_gnn::lab
