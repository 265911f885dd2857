#include "data/formats/geom_gcn/splits.h"

#include <algorithm>

#include "core/affixes.h"
#include "core/io/folder.h"
#include "core/io/npy/npz.h"
#include "data/formats/parse_value.h"
#include "data/split_checks.h"
#include "data/split_places.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMiddle = "_split_0.6_0.2_";
constexpr std::string_view kEnding = ".npz";

// The k of a split file of `prefix`, or -1 for any other file.
int64_t split_number(std::string_view file, std::string_view prefix) {
  const bool is_split = core::take_prefix(file, prefix) &&
                        core::take_prefix(file, kMiddle) &&
                        core::take_suffix(file, kEnding);
  return is_split ? parse_value<int64_t>(file).value_or(-1) : -1;
}

std::vector<int64_t> split_numbers(const fs::path& folder,
                                   const std::string& prefix) {
  std::vector<int64_t> numbers;
  for (const fs::path& entry : core::entries_if_any(folder)) {
    const int64_t number = split_number(entry.filename().string(), prefix);
    if (number >= 0) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string not_found_message(const std::vector<fs::path>& folders,
                              const std::string& prefix) {
  return not_found_in(folders,
                      fmt::format("no split files: looked for {} and on",
                                  geom_gcn_split_name(prefix, 0)),
                      "random:48/32/20");
}

}  // namespace

std::string geom_gcn_split_name(const std::string& prefix, int64_t k) {
  return fmt::format("{}{}{}{}", prefix, kMiddle, k, kEnding);
}

std::vector<fs::path> find_geom_gcn_splits(const std::vector<fs::path>& folders,
                                           const std::string& prefix) {
  for (const fs::path& folder : folders) {
    const std::vector<int64_t> numbers = split_numbers(folder, prefix);
    std::vector<fs::path> files;
    for (size_t k = 0; k < numbers.size(); ++k) {
      const std::string name =
          geom_gcn_split_name(prefix, static_cast<int64_t>(k));
      if (numbers[k] != static_cast<int64_t>(k)) {
        fail_in(folder / name,
                fmt::format("this split file is missing although split {} is "
                            "there",
                            numbers.back()));
      }
      files.push_back(folder / name);
    }
    if (!files.empty()) return files;
  }
  return {};
}

Split load_geom_gcn_split(const fs::path& file, int64_t num_nodes) {
  const core::NpzReader archive(file);
  const auto read = [&](const std::string& part) {
    const std::string name = part + "_mask";
    const at::Tensor nodes =
        nodes_of_mask(archive.read(name), num_nodes,
                      fmt::format("{}:{}", file.string(), name));
    if (nodes.size(0) == 0) {
      fail_in(file, fmt::format("the {} part is empty", part));
    }
    return nodes;
  };
  const Split split{read("train"), read("val"), read("test")};
  check_split(split, num_nodes, file.string());
  return split;
}

void attach_geom_gcn_splits(RawDataset& raw,
                            const std::vector<fs::path>& folders,
                            const std::string& prefix, bool required) {
  const std::vector<fs::path> files = find_geom_gcn_splits(folders, prefix);
  if (files.empty()) {
    const std::string message = not_found_message(folders, prefix);
    if (required) fail("dataset '{}': {}", raw.name, message);
    raw.provenance.notes.push_back(message);
    return;
  }
  raw.splits.clear();
  for (const fs::path& file : files) {
    raw.splits.push_back(load_geom_gcn_split(file, raw.num_nodes));
    raw.provenance.files.push_back(file.string());
  }
  raw.split_set = kGeomGcnSplitSet;
}

}  // namespace ordered_gnn::data
