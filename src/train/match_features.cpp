#include <ATen/Functions.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "data/formats/feature_rows.h"
#include "data/tables/column_json.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/train/trained.h"

namespace ordered_gnn {
namespace {

constexpr size_t kNamesShown = 10;

std::string shown(const std::vector<std::string>& names) {
  const size_t count = std::min(names.size(), kNamesShown);
  return fmt::format(
      "'{}'{}",
      fmt::join(names.begin(),
                names.begin() + static_cast<std::ptrdiff_t>(count), "', '"),
      names.size() > count ? fmt::format(" and {} more", names.size() - count)
                           : "");
}

// For every feature of the model its position in the data, or -1; and what
// stands on one side only.
struct Matching {
  std::vector<int64_t> position;
  std::vector<std::string> missing, extra;
};

Matching match(const std::vector<std::string>& wanted,
               const std::vector<std::string>& found) {
  std::unordered_map<std::string, int64_t> index;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!index.emplace(found[i], static_cast<int64_t>(i)).second) {
      fail(
          "two features of the data are called '{}'; columns are matched by "
          "name",
          found[i]);
    }
  }
  Matching out;
  for (const std::string& name : wanted) {
    const auto at = index.find(name);
    out.position.push_back(at == index.end() ? -1 : at->second);
    if (at == index.end()) {
      out.missing.push_back(name);
    } else {
      index.erase(at);
    }
  }
  for (const std::string& name : found) {
    if (index.count(name) > 0) out.extra.push_back(name);
  }
  return out;
}

void check(const Trained& trained, const NodeDataset& data,
           const Matching& matching) {
  std::string text;
  if (!matching.missing.empty()) {
    text = "lacks features that the model was trained on: " +
           shown(matching.missing);
  }
  if (!matching.extra.empty()) {
    text += fmt::format("{}has features that it does not know: {}",
                        text.empty() ? "" : "; ", shown(matching.extra));
  }
  if (text.empty()) return;
  fail(
      "'{}' {}; a model of {} features matches them by name. Rename or add "
      "them, or let --missing-columns fill take missing ones as 0 and leave "
      "the others out",
      data.name, text, trained.feature_names.size());
}

// A table that was fitted by itself has other means than the model has learnt
// with, though its columns have the same names.
void require_treatment(const Trained& trained, const NodeDataset& data) {
  if (trained.columns.empty() || data.columns.empty()) return;
  if (data::columns_json(trained.columns) == data::columns_json(data.columns)) {
    return;
  }
  fail(
      "the columns of '{}' were treated otherwise than those that the model "
      "was trained on; read its table by load_dataset(data_for(trained, "
      "path))",
      data.name);
}

at::Tensor dense_columns(const at::Tensor& values,
                         const std::vector<int64_t>& position) {
  const at::Tensor out =
      at::zeros({values.size(0), static_cast<int64_t>(position.size())},
                values.options());
  for (size_t f = 0; f < position.size(); ++f) {
    if (position[f] < 0) continue;
    out.select(1, static_cast<int64_t>(f)).copy_(values.select(1, position[f]));
  }
  return out;
}

}  // namespace

NodeDataset match_features(const Trained& trained, NodeDataset data,
                           MissingColumns policy) {
  require_treatment(trained, data);
  const std::vector<std::string>& wanted = trained.feature_names;
  const std::vector<std::string>& found = data.feature_names;
  if (wanted.empty() || found.empty() || wanted == found) return data;
  const Matching matching = match(wanted, found);
  if (policy == MissingColumns::error) check(trained, data, matching);
  // Sparse features have no names in any format of ours, but may in a program.
  const bool was_sparse = data.features.kind() == NodeFeatures::Kind::sparse;
  const at::Tensor columns =
      dense_columns(data.features.to_dense(), matching.position);
  data.features = was_sparse ? data::features_from_dense(columns)
                             : NodeFeatures::dense(columns);
  data.feature_names = wanted;
  return data;
}

}  // namespace ordered_gnn
