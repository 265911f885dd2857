#pragma once
#include "ordered_gnn/data/registry.h"

namespace ordered_gnn {

/// Four classes that features tell almost always, five unlabelled nodes.
inline RawDataset four_classes() {
  DataOptions options;
  options.data =
      "synthetic:csbm?nodes=200&classes=4&features=8&signal=2&homophily=0.8"
      "&splits=2&seed=3";
  RawDataset raw = resolve_dataset(options);
  raw.name = "four";
  raw.class_names = {"ash", "beech", "cedar", "date"};
  for (int64_t v = 0; v < raw.num_nodes; ++v) {
    raw.node_names.push_back("tree-" + std::to_string(v));
  }
  raw.labels = raw.labels.clone();
  for (const int64_t v : {3, 50, 99, 120, 199}) raw.labels[v] = -1;
  return raw;
}

}  // namespace ordered_gnn
