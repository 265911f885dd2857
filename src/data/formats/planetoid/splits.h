#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// Rows of x for training, the next 500 nodes for validation.
inline constexpr const char* kPlanetoidPublic = "planetoid-public";
/// Validation as in planetoid-public, all nodes left over for training; those
/// without a label count among them, though nothing is learned from them.
inline constexpr const char* kPlanetoidFull = "planetoid-full";
/// The last 500 rows of allx for validation, the rows before for training.
inline constexpr const char* kDropedgeFull = "dropedge-full";

/// What the splits of a Planetoid dataset follow from.
struct PlanetoidRows {
  int64_t num_nodes = 0;
  int64_t num_train = 0;              ///< rows of x
  int64_t num_labelled = 0;           ///< rows of allx
  std::vector<int64_t> test_of_line;  ///< the nodes of test.index, in any order
};

/// One of the three split sets above; the nodes of test.index are the test
/// part of each.
/// @throws Error naming `place` and the sizes when there are too few rows for
///         500 validation nodes, and for training nodes in dropedge-full.
Split planetoid_split(const std::string& split_set, const PlanetoidRows& rows,
                      const std::string& place);

}  // namespace ordered_gnn::data
