#include "data/formats/csv/meta.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/io/file.h"
#include "core/io/json_numbers.h"
#include "core/io/json_reader.h"
#include "core/names.h"
#include "data/formats/csv/layout.h"
#include "data/paths.h"
#include "data/tables/column_json.h"
#include "data/treatment_json.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

using nlohmann::json;

constexpr int64_t kMaxBytes = int64_t{1} << 30;

const std::vector<std::string>& feature_kinds() {  // by NodeFeatures::Kind
  static const std::vector<std::string> names = {"dense", "sparse", "identity"};
  return names;
}

void check_keys(const json& meta) {
  static const std::vector<std::string> known = {
      "format",       "version",     "name",        "directed",   "features",
      "num_features", "num_classes", "class_names", "node_names", "split_set",
      "treatment",    "notes",       "columns"};
  for (const auto& [key, value] : meta.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw UsageError(core::unknown_name_message("key", key, known));
    }
  }
}

template <typename T>
void get(const json& meta, const char* key, T& out) {
  if (!meta.contains(key)) return;
  try {
    out = meta[key].get<T>();
  } catch (const json::exception& error) {
    fail("{}: {}", key, core::json_reason(error));
  }
}

template <typename T>
void get(const json& meta, const char* key, std::optional<T>& out) {
  if (!meta.contains(key)) return;
  T value{};
  get(meta, key, value);
  out = std::move(value);
}

void get_count(const json& meta, const char* key, int64_t max,
               std::optional<int64_t>& out) {
  if (meta.contains(key)) out = core::whole_number(meta, key, 0, max);
}

CsvMeta parse_meta(const json& meta) {
  if (!meta.is_object()) fail("expected an object {{...}}");
  check_keys(meta);
  std::optional<int64_t> version;
  get_count(meta, "version", std::numeric_limits<int64_t>::max(), version);
  if (version.value_or(csv_layout::kVersion) != csv_layout::kVersion) {
    fail("version {} of the format is not known; this program reads version {}",
         *version, csv_layout::kVersion);
  }
  CsvMeta out;
  std::optional<std::string> features;
  get(meta, "name", out.name);
  get(meta, "directed", out.directed);
  get(meta, "features", features);
  get_count(meta, "num_features", kMaxFeatures, out.num_features);
  get_count(meta, "num_classes", kMaxClasses, out.num_classes);
  get(meta, "class_names", out.class_names);
  get(meta, "node_names", out.node_names);
  get(meta, "split_set", out.split_set);
  get(meta, "notes", out.notes);
  if (features) {
    out.features = core::parse_enum<NodeFeatures::Kind>(
        "kind of features", *features, feature_kinds());
  }
  if (meta.contains("columns")) {
    out.columns = columns_from_json(meta["columns"]);
  }
  if (meta.contains("treatment")) {
    out.treatment = treatment_from_json(meta["treatment"]);
  }
  return out;
}

}  // namespace

CsvMeta read_csv_meta(const std::filesystem::path& file) {
  return core::reading(
      file, [&] { return parse_meta(core::read_json(file, {kMaxBytes})); });
}

std::string csv_meta_text(const RawDataset& raw, bool node_names) {
  std::vector<std::string> notes = raw.provenance.notes;
  const std::string& source = raw.provenance.format;
  if (!source.empty() && source != "csv") {
    notes.push_back("converted from " + source);
  }
  const NodeFeatures::Kind kind = raw.features.kind();
  nlohmann::ordered_json meta;
  meta["format"] = csv_layout::kFormat;
  meta["version"] = csv_layout::kVersion;
  meta["name"] = raw.name;
  meta["directed"] = !raw.edges_are_undirected;
  if (raw.table) {
    meta["columns"] = columns_json(raw.columns);
  } else {
    meta["features"] = to_string(kind);
  }
  if (kind == NodeFeatures::Kind::sparse) {
    meta["num_features"] = raw.features.num_features();
  }
  meta["num_classes"] = raw.num_classes;
  meta["split_set"] = raw.split_set;
  if (raw.recommended) meta["treatment"] = treatment_json(*raw.recommended);
  meta["class_names"] = raw.class_names;
  if (node_names) meta["node_names"] = raw.node_names;
  meta["notes"] = notes;
  try {
    return meta.dump(2) + "\n";
  } catch (const json::exception& error) {
    fail("dataset '{}': a name is not valid UTF-8: {}", raw.name, error.what());
  }
}

bool is_our_csv_meta(const std::filesystem::path& file) {
  if (!is_there(file)) return false;
  const std::optional<json> meta = core::parse_json_or_nothing(
      core::read_file(file, kMaxBytes), {kMaxBytes});
  if (!meta || !meta->is_object() || !meta->contains("format")) return false;
  return (*meta)["format"] == csv_layout::kFormat;
}

}  // namespace ordered_gnn::data
