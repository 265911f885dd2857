#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace ordered_gnn::data {

/// True for a file that ends in .graphml or begins as an XML file.
bool is_graphml(const std::filesystem::path& file);

/// A GraphML file as two delimited tables. A row stands in the line that its
/// element begins in, as far as elements begin in lines of their own, so that
/// errors point into the GraphML file.
struct GraphmlTables {
  std::string nodes;  ///< header: id and the names of the keys of nodes
  std::string edges;  ///< header: source, target and the keys of edges
  /// edgedefault; without a value where edges say it each for themselves.
  std::optional<bool> undirected;
};

/// Reads nodes, edges and their data. Defaults of keys fill in. Nested graphs,
/// hyperedges and entities that a DOCTYPE declares are refused.
/// @throws Error at file and line for text that is no GraphML.
GraphmlTables read_graphml(const std::filesystem::path& file);

}  // namespace ordered_gnn::data
