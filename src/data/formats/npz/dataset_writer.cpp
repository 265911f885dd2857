#include <ATen/Functions.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "data/formats/npz/dataset.h"
#include "data/formats/npz/layout.h"
#include "data/tables/column_json.h"
#include "data/tables/table_arrays.h"
#include "data/treatment_json.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

at::Tensor numbers(const std::vector<int64_t>& values) {
  at::Tensor out = at::empty({static_cast<int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), out.data_ptr<int64_t>());
  return out;
}

void add_features(core::NpzWriter& archive, const NodeFeatures& features) {
  switch (features.kind()) {
    case NodeFeatures::Kind::dense:
      archive.add(npz_layout::kFeatures, features.dense_values());
      return;
    case NodeFeatures::Kind::sparse:
      archive.add(npz_layout::kRowptr, features.rows().rowptr);
      archive.add(npz_layout::kCol, features.rows().col);
      archive.add(npz_layout::kValue, features.rows().value);
      archive.add(npz_layout::kShape,
                  numbers({features.num_nodes(), features.num_features()}));
      return;
    case NodeFeatures::Kind::identity:
      archive.add(npz_layout::kIdentity, numbers({features.num_nodes()}));
      return;
  }
}

void add_masks(core::NpzWriter& archive, const RawDataset& raw,
               const char* name, at::Tensor Split::*part) {
  const int64_t num_splits = static_cast<int64_t>(raw.splits.size());
  at::Tensor masks = at::zeros({num_splits, raw.num_nodes}, at::kBool);
  bool* const set = masks.data_ptr<bool>();
  for (int64_t k = 0; k < num_splits; ++k) {
    const at::Tensor nodes = (raw.splits[k].*part).contiguous();
    const int64_t* const node = nodes.data_ptr<int64_t>();
    for (int64_t i = 0; i < nodes.size(0); ++i) {
      set[k * raw.num_nodes + node[i]] = true;
    }
  }
  archive.add(name, masks);
}

// Adds `text` as JSON has it.
void append_json(std::string& out, const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= ' ' && c < '\x7f' && c != '"' && c != '\\';
  });
  if (plain) {
    out.append(1, '"').append(text).append(1, '"');
  } else {
    out += nlohmann::json(text).dump();
  }
}

// Puts the names where `meta`, indented by two, has an empty list of them. As
// a JSON value each of a million names would be copied twice. No text of the
// document can look like the key: JSON has no line breaks in texts.
void insert_node_names(const std::vector<std::string>& names,
                       std::string& meta) {
  if (names.empty()) return;
  const std::string_view key = "\n  \"node_names\": [";
  const size_t at = meta.find(key) + key.size();
  const std::string rest = meta.substr(at);
  meta.resize(at);
  size_t bytes = meta.size() + rest.size();
  for (const std::string& name : names) bytes += name.size() + 8;
  meta.reserve(bytes);
  const char* before = "\n    ";
  for (const std::string& name : names) {
    meta += before;
    append_json(meta, name);
    before = ",\n    ";
  }
  meta += "\n  " + rest;
}

std::string meta_text(const RawDataset& raw) {
  std::vector<std::string> notes = raw.provenance.notes;
  const std::string& source = raw.provenance.format;
  if (!source.empty() && source != "npz") {
    notes.push_back("converted from " + source);
  }
  nlohmann::ordered_json meta;
  meta["version"] = npz_layout::kVersion;
  meta["name"] = raw.name;
  meta["num_classes"] = raw.num_classes;
  meta["directed"] = !raw.edges_are_undirected;
  meta["split_set"] = raw.split_set;
  if (raw.recommended) meta["treatment"] = treatment_json(*raw.recommended);
  meta["class_names"] = raw.class_names;
  meta["node_names"] = nlohmann::ordered_json::array();  // insert_node_names()
  if (!raw.feature_names.empty() && !raw.table) {
    meta["feature_names"] = raw.feature_names;
  }
  if (!raw.columns.empty()) meta["columns"] = columns_json(raw.columns);
  if (raw.table) meta["table"] = table_json(*raw.table);
  meta["notes"] = notes;
  try {
    std::string text = meta.dump(2) + "\n";
    insert_node_names(raw.node_names, text);
    return text;
  } catch (const nlohmann::json::exception& error) {
    fail("dataset '{}': a name is not valid UTF-8: {}", raw.name, error.what());
  }
}

}  // namespace

void write_npz_dataset(const std::filesystem::path& file, const RawDataset& raw,
                       core::NpzWriter::Compression compression) {
  validate(raw);
  const std::string meta = meta_text(raw);
  core::NpzWriter archive(file, compression);
  archive.add(npz_layout::kEdges, raw.edges.t().contiguous());
  if (raw.edge_weights.defined()) {
    archive.add(npz_layout::kEdgeWeights, raw.edge_weights.contiguous());
  }
  archive.add(npz_layout::kLabels, raw.labels);
  if (raw.table) {
    add_table(archive, *raw.table);
  } else {
    add_features(archive, raw.features);
  }
  if (!raw.splits.empty()) {
    add_masks(archive, raw, npz_layout::kTrain, &Split::train);
    add_masks(archive, raw, npz_layout::kVal, &Split::val);
    add_masks(archive, raw, npz_layout::kTest, &Split::test);
  }
  archive.add_bytes(npz_layout::kMeta, meta);
  archive.finish();
}

}  // namespace ordered_gnn::data
