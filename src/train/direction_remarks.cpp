#include "train/direction_remarks.h"

#include <fmt/format.h>

#include "nn/split_directions.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::training {

std::vector<std::string> direction_remarks(const RunOptions& options,
                                           const NodeDataset& data) {
  if (!find_model(options.model).tells_directions ||
      !nn::is_symmetric(data.graph)) {
    return {};
  }
  return {fmt::format(
      "every edge of '{}' runs both ways, so the two neighbourhoods that {} "
      "tells apart are one; if its edges have a direction, use --direction "
      "as_stored",
      data.name, options.model)};
}

}  // namespace ordered_gnn::training
