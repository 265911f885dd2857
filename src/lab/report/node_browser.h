#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn::lab {

/// What a page knows of the nodes of a graph, to look any of them up. Lists
/// have an entry per node; those that may be empty stand for "not known".
struct NodeBrowser {
  std::vector<std::string> class_names;  ///< C of them
  std::vector<std::string> node_names;   ///< may be empty
  std::vector<int64_t> label;            ///< -1: unknown
  std::vector<int64_t> predicted;
  std::vector<float> confidence;  ///< in [0, 1]
  std::vector<float> homophily;   ///< in [0, 1], NaN: unknown
  std::vector<int64_t> degree;    ///< in-neighbours without the node itself
  std::vector<uint8_t> part;      ///< 0 none, 1 train, 2 val, 3 test
  int64_t num_shares = 0;         ///< hops with a share, K + 1 or 0
  std::vector<float> hop_shares;  ///< rows of num_shares numbers in [0, 1]
  Adjacency in;                   ///< in-neighbours; loops are not shown
  nlohmann::json details;         ///< an array, see the page's script; or null

  int64_t num_nodes() const { return static_cast<int64_t>(label.size()); }
};

/// The content of a NodeBrowser as elements of an HTML page.
struct PackedNodes {
  std::string html;
  std::vector<std::string> notes;  ///< what was left out to keep to the size
};

/// Numbers become bytes and lists of neighbours differences of variable length,
/// all as base64 that the page decodes when a node is first asked for.
///
/// To keep to `max_bytes`, besides what is always there: shares take at most
/// half of what is left, those of the last hops are added up for that; names of
/// nodes a third of the rest, or go; of every node's neighbours all are kept,
/// or at most 64, 32, ... 2 at even places of the list, or none. Four shares
/// and the details are kept whatever they take.
///
/// @throws Error when lists differ in length, the graph has another number of
///         nodes, or a class is out of range.
PackedNodes pack_nodes(const NodeBrowser& nodes, int64_t max_bytes);

}  // namespace ordered_gnn::lab
