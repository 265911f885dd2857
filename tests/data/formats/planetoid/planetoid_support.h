#pragma once
#include <map>

#include "data/data_support.h"
#include "data/formats/planetoid/planetoid.h"
#include "support/pickle_writer.h"

namespace ordered_gnn::data {

/// Content of each file by its part, the last of `ind.<name>.<part>`.
using PlanetoidParts = std::map<std::string, std::string>;

inline at::Tensor one_hot_rows(const std::vector<int64_t>& classes,
                               int64_t num_classes) {
  at::Tensor rows = torch::zeros(
      {static_cast<int64_t>(classes.size()), num_classes}, torch::kInt);
  for (size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] >= 0) rows[static_cast<int64_t>(i)][classes[i]] = 1;
  }
  return rows;
}

inline at::Tensor float_rows(const std::vector<std::vector<float>>& rows) {
  at::Tensor result = torch::zeros({static_cast<int64_t>(rows.size()),
                                    static_cast<int64_t>(rows[0].size())});
  for (size_t i = 0; i < rows.size(); ++i) {
    result[static_cast<int64_t>(i)] = torch::tensor(rows[i]);
  }
  return result;
}

inline std::string labels_file(const std::vector<int64_t>& classes,
                               int64_t num_classes = 2) {
  return pickled::file(pickled::array(one_hot_rows(classes, num_classes)));
}

inline std::string features_file(const std::vector<std::vector<float>>& rows) {
  return pickled::file(pickled::csr(float_rows(rows)));
}

inline std::string small_planetoid_graph() {
  return pickled::file(pickled::graph({{0, {1, 4}},
                                       {1, {0, 2, 2}},
                                       {2, {1, 1, 2}},
                                       {5, {4}},
                                       {4, {0, 5}},
                                       {3, {}}}));
}

/// Six nodes, four features, two classes. Nodes 0 to 2 are in allx, node 0 in
/// x; tx holds nodes 5 and 3; node 4 is in the graph only.
inline PlanetoidParts small_planetoid() {
  return {{"x", features_file({{1, 0, 0, .5}})},
          {"y", labels_file({1})},
          {"allx", features_file({{1, 0, 0, .5}, {0, 0, 0, 0}, {0, 2, 0, 0}})},
          {"ally", labels_file({1, 0, 1})},
          {"tx", features_file({{0, 0, 3, 0}, {0, 0, 0, 4}})},
          {"ty", labels_file({0, 1})},
          {"graph", small_planetoid_graph()},
          {"test.index", "5\n3\n"}};
}

inline void write_planetoid_parts(const std::filesystem::path& folder,
                                  const PlanetoidParts& files,
                                  const std::string& name = "tiny") {
  for (const auto& [part, content] : files) {
    write_text(folder / fmt::format("ind.{}.{}", name, part), content);
  }
}

/// Nodes 0 to 609 in allx, the first 10 in x, 610 to 613 in tx; node 614 is in
/// the graph only.
inline PlanetoidParts files_with_public_splits() {
  const int64_t num_all = 610;
  const at::Tensor all = torch::eye(num_all, 3);
  std::vector<int64_t> classes(num_all);
  for (int64_t v = 0; v < num_all; ++v) classes[v] = v % 2;
  const std::vector<int64_t> first(classes.begin(), classes.begin() + 10);
  return {{"x", pickled::file(pickled::csr(all.narrow(0, 0, 10)))},
          {"y", labels_file(first)},
          {"allx", pickled::file(pickled::csr(all))},
          {"ally", labels_file(classes)},
          {"tx", pickled::file(pickled::csr(torch::eye(4, 3)))},
          {"ty", labels_file({0, 1, 0, 1})},
          {"graph", pickled::file(pickled::graph({{614, {0}}, {0, {614}}}))},
          {"test.index", "613\n610\n612\n611\n"}};
}

}  // namespace ordered_gnn::data
