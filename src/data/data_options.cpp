#include "ordered_gnn/core/options.h"
#include "ordered_gnn/data/loaders.h"
#include "ordered_gnn/data/registry.h"

namespace ordered_gnn {
namespace {

constexpr const char* kAuto = "auto";

std::vector<std::string> with_auto(std::vector<std::string> names) {
  names.insert(names.begin(), kAuto);
  return names;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Loader& loader : loaders()) names.push_back(loader.name);
  return with_auto(names);
}

// A field that has no value is spelled "auto".
template <typename Field, typename Parse>
Option<DataOptions> auto_option(const std::string& name, Field field,
                                Parse parse, std::vector<std::string> choices,
                                const std::string& help) {
  Option<DataOptions> out;
  out.spec = {name, "Data", help, OptionKind::text,
              with_auto(std::move(choices))};
  out.get = [field](const DataOptions& options) {
    const auto& value = field(const_cast<DataOptions&>(options));
    return Json(value ? to_string(*value) : std::string(kAuto));
  };
  out.set = [field, parse](DataOptions& options, const Json& value) {
    const auto word = value.get<std::string>();
    auto& target = field(options);
    target.reset();
    if (word != kAuto) target = parse(word);
  };
  return out;
}

// Settings come in layers, and both of these say where splits come from: the
// later one puts the other back to its default.
Option<DataOptions> split_set_option() {
  auto out = option<DataOptions>(
      "split-set", "Data", [](DataOptions & o) -> auto& { return o.split_set; },
      "where splits come from: a set of the format, random:48/32/20, "
      "stratified:0.6/0.2/0.2x5 or stratified:80/20/0 (no test part); auto "
      "takes those of the data, and training draws "
      "stratified:60/20/20x1 where there are none");
  out.set = [](DataOptions& options, const Json& value) {
    options.split_set = value.get<std::string>();
    if (options.split_set != kAuto) options.split_file.clear();
  };
  return out;
}

Option<DataOptions> split_file_option() {
  auto out = option<DataOptions>(
      "split-file", "Data",
      [](DataOptions & o) -> auto& { return o.split_file; },
      "a file to take splits from instead of those of the data: .npz with "
      "train_mask, val_mask, test_mask or with node ids in train, valid, test; "
      ".npy with a dict per split; masks.csv");
  out.set = [](DataOptions& options, const Json& value) {
    options.split_file = value.get<std::string>();
    if (!options.split_file.empty()) options.split_set = kAuto;
  };
  return out;
}

Option<DataOptions> missing_columns_option() {
  Option<DataOptions> out;
  out.spec = {"missing-columns",
              "Data",
              "columns that a model was trained on and new data does not have: "
              "an error, or filled as missing values",
              OptionKind::text,
              {"error", "fill"}};
  out.get = [](const DataOptions& options) {
    const bool fill = options.missing_columns == MissingColumns::fill;
    return Json(fill ? "fill" : "error");
  };
  out.set = [](DataOptions& options, const Json& value) {
    options.missing_columns = value.get<std::string>() == "fill"
                                  ? MissingColumns::fill
                                  : MissingColumns::error;
  };
  return out;
}

}  // namespace

const std::vector<Option<DataOptions>>& data_option_table() {
  using O = DataOptions;
  const char* const kGroup = "Data";
  static const std::vector<Option<O>> table = {
      option<O>(
          "data", kGroup, [](O & o) -> auto& { return o.data; },
          "a named dataset (see 'ognn data list'), a file or folder, or "
          "synthetic:NAME?key=value&..."),
      execution_only(option<O>(
          "data-root", kGroup, [](O & o) -> auto& { return o.data_root; },
          "folder searched first for named datasets, before $OGNN_DATA, "
          "./datasets and the user cache")),
      one_of(option<O>(
                 "format", kGroup, [](O & o) -> auto& { return o.format; },
                 "file layout; auto recognises it"),
             format_names()),
      auto_option(
          "direction", [](O & o) -> auto& { return o.treatment.direction; },
          parse_direction, {"as_stored", "reversed", "undirected"},
          "which way messages flow along stored edges"),
      auto_option(
          "self-loops", [](O & o) -> auto& { return o.treatment.self_loops; },
          parse_self_loops, {"keep", "remove", "add"},
          "loops; add gives every node exactly one"),
      auto_option(
          "features", [](O & o) -> auto& { return o.treatment.features; },
          parse_feature_treatment, {"raw", "row_normalized", "identity"},
          "feature treatment; identity uses node ids instead"),
      enum_option<O>(
          "edge-weights", kGroup,
          [](O & o) -> auto& { return o.treatment.edge_weights; },
          parse_edge_weights, {"use", "ignore"},
          "weights of edges, where the data has them"),
      split_set_option(),
      in_range(
          option<O>(
              "split-seed", kGroup, [](O & o) -> auto& { return o.split_seed; },
              "seed of splits that are drawn"),
          0, 9007199254740992.0),
      split_file_option(),
      option<O>(
          "unlabelled", kGroup, [](O & o) -> auto& { return o.unlabelled; },
          "a label of CSV tables that means none, beside the empty cell"),
      missing_columns_option(),
  };
  return table;
}

}  // namespace ordered_gnn
