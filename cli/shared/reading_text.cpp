#include "shared/reading_text.h"

#include <fmt/format.h>

#include "core/names.h"
#include "ordered_gnn/data/statistics.h"

namespace ordered_gnn::cli {
namespace {

std::string direction_text(Direction direction) {
  return core::word_of(direction, {{Direction::as_stored, "directed as stored"},
                                   {Direction::reversed, "directed, reversed"},
                                   {Direction::undirected, "undirected"}});
}

const char* decision_text(lab::DirectionBy decided) {
  return core::word_of(
      decided, {{lab::DirectionBy::choice, "as --direction says"},
                {lab::DirectionBy::file, "as the file says"},
                {lab::DirectionBy::dataset, "as recommended for this dataset"},
                {lab::DirectionBy::nobody, "by default"}});
}

const char* weights_text(const NodeDataset& data) {
  if (data.graph.weights().defined()) return ", weighted";
  return data.ignores_edge_weights ? ", weights ignored" : "";
}

}  // namespace

std::string reading_text(const NodeDataset& data, lab::DirectionBy decided) {
  const int64_t loops = data.graph.num_self_loops();
  return fmt::format(
      "{}: {} nodes, {} edges read as {} ({}){}, {} self loops ({}), {} "
      "features "
      "({}), {} classes, {} splits ({})",
      data.name, data.num_nodes(), data.graph.num_edges() - loops,
      direction_text(data.treatment.direction), decision_text(decided),
      weights_text(data), loops, to_string(data.treatment.self_loops),
      data.features.num_features(), to_string(data.treatment.features),
      data.num_classes, data.splits.size(),
      data.split_set.empty() ? "none" : data.split_set);
}

std::vector<std::string> reading_hints(const NodeDataset& data,
                                       lab::DirectionBy decided) {
  if (decided != lab::DirectionBy::nobody ||
      data.treatment.direction == Direction::undirected) {
    return {};
  }
  const double share = reciprocal_share(data.graph);
  // NaN, of a graph without edges, is not below.
  if (!(share < kFewReverses)) return {};
  return {fmt::format(
      "{:.1f} % of the edges have their reverse, so messages go one way along "
      "almost every edge; if an edge means the same from both ends, try "
      "--direction undirected (--direction as_stored says it is meant)",
      100 * share)};
}

}  // namespace ordered_gnn::cli
