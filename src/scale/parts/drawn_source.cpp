#include "scale/parts/drawn_source.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <utility>

#include "data/generators/csbm.h"
#include "data/generators/small_world.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {
namespace {

// Rows that are drawn at a time.
constexpr int64_t kDrawnRows = 16 * data::GaussianRows::kBlock;

}  // namespace

DrawnSource::DrawnSource(RawDataset graph,
                         const data::RandomFeatureOptions& features)
    : nodes_(std::move(graph)),
      options_(features),
      num_edges_(nodes_.edges.size(1)) {
  const int64_t* const label = nodes_.labels.data_ptr<int64_t>();
  classes_.assign(label, label + nodes_.num_nodes);
}

void DrawnSource::walk_edges(const OnEdges& on_edges) {
  TORCH_CHECK(nodes_.edges.defined(), "the edges were walked before");
  const at::Tensor edges = std::move(nodes_.edges);
  nodes_.edges = at::Tensor();
  on_edges(edges, {});
}

void DrawnSource::walk_features(const OnRows& on_rows) {
  const data::GaussianRows rows(classes_, nodes_.num_classes, options_);
  const int64_t nodes = nodes_.num_nodes;
  for (int64_t begin = 0; begin < nodes; begin += kDrawnRows) {
    const int64_t end = std::min(nodes, begin + kDrawnRows);
    on_rows(at::arange(begin, end, at::kLong), rows.draw(begin, end));
  }
}

std::unique_ptr<DrawnSource> draw_source(const std::string& spec) {
  if (const auto csbm = data::parse_csbm(spec)) {
    if (csbm->sparse) {
      throw UsageError(
          "sparse=true: sparse features are not written piece by piece; "
          "generate an .npz and cut it with 'ognn partition'");
    }
    return std::make_unique<DrawnSource>(data::generate_csbm_graph(*csbm),
                                         data::csbm_features(*csbm));
  }
  if (const auto ring = data::parse_small_world(spec)) {
    return std::make_unique<DrawnSource>(
        data::generate_small_world_graph(*ring),
        data::small_world_features(*ring));
  }
  return nullptr;
}

}  // namespace ordered_gnn::scale
