#include "scale/parts/csbm_source.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {
namespace {

// Rows that are drawn at a time.
constexpr int64_t kDrawnRows = 64 * data::GaussianRows::kBlock;

const data::CsbmOptions& with_dense_features(const data::CsbmOptions& options) {
  if (options.sparse) {
    throw UsageError(
        "sparse=true: sparse features are not written piece by piece; "
        "generate an .npz and cut it with 'ognn partition'");
  }
  return options;
}

}  // namespace

CsbmSource::CsbmSource(const data::CsbmOptions& options)
    : options_(with_dense_features(options)),
      nodes_(data::generate_csbm_graph(options)) {
  const int64_t* const label = nodes_.labels.data_ptr<int64_t>();
  classes_.assign(label, label + nodes_.num_nodes);
}

void CsbmSource::walk_edges(const OnEdges& on_edges) {
  TORCH_CHECK(nodes_.edges.defined(), "the edges were walked before");
  const at::Tensor edges = std::move(nodes_.edges);
  nodes_.edges = at::Tensor();
  on_edges(edges);
}

void CsbmSource::walk_features(const OnRows& on_rows) {
  const data::GaussianRows rows(classes_, options_.classes,
                                data::csbm_features(options_));
  for (int64_t begin = 0; begin < options_.nodes; begin += kDrawnRows) {
    on_rows(begin,
            rows.draw(begin, std::min(options_.nodes, begin + kDrawnRows)));
  }
}

}  // namespace ordered_gnn::scale
