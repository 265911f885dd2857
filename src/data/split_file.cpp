#include "data/split_file.h"

#include <ATen/Functions.h>

#include <fstream>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/affixes.h"
#include "core/io/npy/npz.h"
#include "data/formats/csv/masks.h"
#include "data/formats/csv/nodes.h"
#include "data/formats/geom_gcn/split_dictionaries.h"
#include "data/formats/npz/splits.h"
#include "data/paths.h"
#include "data/split_checks.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

constexpr std::string_view kZipStart = "PK";
constexpr std::string_view kNpyStart = "\x93NUMPY";

std::string first_bytes(const std::string& file) {
  std::string bytes(kNpyStart.size(), '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(in.gcount()));
  return bytes;
}

// Names that are the numbers 0 .. N-1 in another order are found as numbers:
// entry n is the node that is called so.
at::Tensor nodes_by_number(const NodeIds& ids) {
  at::Tensor nodes = at::empty({ids.size()}, at::kLong);
  int64_t* const node = nodes.data_ptr<int64_t>();
  for (int64_t v = 0; v < ids.size(); ++v) node[ids.node_of_row(v)] = v;
  return nodes;
}

std::vector<Split> read_masks_by_name(const RawDataset& raw,
                                      const std::string& file) {
  NodeIds ids;
  for (int64_t v = 0; v < raw.num_nodes; ++v) {
    ids.add(raw.node_names.empty() ? std::to_string(v)
                                   : raw.node_names[static_cast<size_t>(v)],
            {raw.name, 0});
  }
  ids.finish(raw.name);
  const at::Tensor nodes = nodes_by_number(ids);
  const auto sorted_nodes = [&](const at::Tensor& part) {
    return std::get<0>(nodes.index_select(0, part).sort());
  };
  std::vector<Split> splits = read_csv_masks(file, ids);
  for (Split& split : splits) {
    split = {sorted_nodes(split.train), sorted_nodes(split.val),
             sorted_nodes(split.test)};
  }
  return splits;
}

std::vector<Split> read_splits_of(const RawDataset& raw,
                                  const std::string& file) {
  const std::string start = first_bytes(file);
  if (core::starts_with(start, kZipStart)) {
    return read_npz_splits(core::NpzReader(file), raw.num_nodes);
  }
  if (start == kNpyStart) return load_split_dictionaries(file, raw.num_nodes);
  return read_masks_by_name(raw, file);
}

void check_splits_of(const std::vector<Split>& splits, const RawDataset& raw,
                     const std::string& file) {
  require_full_parts(splits, file);
  for (size_t k = 0; k < splits.size(); ++k) {
    check_split(splits[k], raw.num_nodes, fmt::format("{}: split {}", file, k));
  }
}

[[noreturn]] void fail_two_choices(const std::string& file,
                                   const std::string& split_set) {
  throw UsageError(fmt::format(
      "--split-file '{}' and --split-set '{}' both say where splits come from; "
      "leave one of them out",
      file, split_set));
}

}  // namespace

void attach_split_file(const std::string& file, RawDataset& raw) {
  try {
    raw.splits = read_splits_of(raw, file);
    check_splits_of(raw.splits, raw, file);
  } catch (const Error& error) {
    fail(
        "--split-file: {}\nA split file is for the {} nodes of '{}': an .npz "
        "with {}; an .npy with a dict of node ids per split; or a masks.csv.",
        error.what(), raw.num_nodes, raw.name, kNpzSplitArrays);
  }
  raw.split_set = "split file " + file;
  raw.provenance.files.push_back(file);
}

void check_split_file(const DataOptions& options) {
  if (options.split_file.empty()) return;
  if (options.split_set != "auto") {
    fail_two_choices(options.split_file, options.split_set);
  }
  if (!is_there(options.split_file)) {
    fail_in(options.split_file,
            "there is no such split file; give its place with --split-file, or "
            "choose other splits with --split-set");
  }
}

void check_split_choice(const Json& values) {
  DataOptions options;
  for (const auto& [key, value] : values.items()) {
    if (!value.is_string()) continue;
    if (same_option(key, "split-file"))
      options.split_file = value.get<std::string>();
    if (same_option(key, "split-set"))
      options.split_set = value.get<std::string>();
  }
  if (!options.split_file.empty() && options.split_set != "auto") {
    fail_two_choices(options.split_file, options.split_set);
  }
}

}  // namespace ordered_gnn::data
