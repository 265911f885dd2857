#include "shared/added_nodes.h"

#include <fmt/format.h>

#include <unordered_set>

#include "data/formats/csv/added_nodes.h"
#include "ordered_gnn/core/error.h"
#include "shared/speech.h"

namespace ordered_gnn::cli {
namespace {

std::string counted(int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// New nodes that no edge names.
int64_t count_isolated(const NodeDataset& data, const AddedNodes& added) {
  std::unordered_set<int64_t> joined;
  const at::Tensor ends = added.edges.contiguous();
  const int64_t* const end = ends.data_ptr<int64_t>();
  for (int64_t i = 0; i < ends.numel(); ++i) {
    if (end[i] >= data.num_nodes()) joined.insert(end[i]);
  }
  return added.num_nodes() - static_cast<int64_t>(joined.size());
}

void say_what_is_added(const NodeDataset& data, const AddedNodes& added) {
  std::string text = fmt::format("{}: adds {} and {}, read {}", data.name,
                                 counted(added.num_nodes(), "node"),
                                 counted(added.edges.size(1), "edge"),
                                 to_string(data.treatment.direction));
  const int64_t isolated = count_isolated(data, added);
  if (isolated > 0) {
    text += fmt::format("; {} without an edge", counted(isolated, "new node"));
  }
  say(text);
}

void say_what_was_computed(const NodePrediction& rows, int64_t num_nodes) {
  if (rows.whole_because.empty()) {
    say(fmt::format("computed {} of {} nodes for {} predictions",
                    rows.computed_nodes, num_nodes, rows.nodes.numel()));
  } else {
    say(fmt::format("computed all {} nodes, because {}", num_nodes,
                    rows.whole_because));
  }
}

}  // namespace

AddedArguments::AddedArguments(CLI::App& command) {
  const char* const kGroup = "New nodes";
  command
      .add_option("--add-nodes", nodes,
                  "CSV of nodes that join the graph: a name and the columns "
                  "of the features; only they are predicted")
      ->type_name("FILE")
      ->group(kGroup);
  command
      .add_option("--add-edges", edges,
                  "CSV of edges that join the graph: source,target by name of "
                  "old or new nodes")
      ->type_name("FILE")
      ->group(kGroup);
  command
      .add_option("--id", id,
                  "column of --add-nodes that holds the names; the first when "
                  "not given")
      ->type_name("COLUMN")
      ->group(kGroup);
  command
      .add_flag("--changed", changed,
                "also predict the old nodes that the additions may change; "
                "with --add-edges alone always")
      ->group(kGroup);
}

bool AddedArguments::given() const {
  if (!id.empty() && nodes.empty()) {
    throw UsageError("--id names a column of --add-nodes, which is not given");
  }
  const bool is_given = !nodes.empty() || !edges.empty();
  if (changed && !is_given) {
    throw UsageError("--changed needs --add-nodes or --add-edges");
  }
  return is_given;
}

NodePrediction predict_added(const AddedArguments& arguments,
                             const LoadedCheckpoint& loaded,
                             const PredictionOptions& options, bool quiet) {
  if (options.execution.reorder != NodeOrder::none) {
    throw UsageError(
        "what joins a graph is computed on the part of it that it can hear, in "
        "the order of the data; leave out --reorder");
  }
  const AddedNodes added = data::read_added_nodes(
      loaded.data, {arguments.nodes, arguments.edges, arguments.id});
  if (!quiet) say_what_is_added(loaded.data, added);
  const bool with_changed = arguments.changed || added.num_nodes() == 0;
  NodePrediction rows = ordered_gnn::predict_added(
      loaded.trained, loaded.data, added,
      with_changed ? AddedRows::changed_nodes : AddedRows::new_nodes, options);
  if (!quiet) {
    say_what_was_computed(rows, loaded.data.num_nodes() + added.num_nodes());
  }
  return rows;
}

}  // namespace ordered_gnn::cli
