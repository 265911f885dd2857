#include "train/direction_check.h"

#include <fmt/format.h>

#include "nn/split_directions.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::training {

void require_directed(const RunOptions& options, const NodeDataset& data) {
  if (options.network.directions == Directions::joint ||
      !find_model(options.model).reads_option("directions") ||
      !nn::is_symmetric(data.graph)) {
    return;
  }
  const bool is_read_both_ways =
      data.treatment.direction == Direction::undirected;
  throw UsageError(fmt::format(
      "--directions split tells in-neighbours from out-neighbours, but every "
      "edge of '{}' {}; use --directions joint{}",
      data.name,
      is_read_both_ways ? "is read both ways (--direction undirected)"
                        : "is stored both ways",
      is_read_both_ways ? ", or --direction as_stored if its edges are stored "
                          "one way"
                        : ""));
}

}  // namespace ordered_gnn::training
