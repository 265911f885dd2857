#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// Content of dataset.json; csv_dataset.h lists the keys. What the file does
/// not say is empty.
struct CsvMeta {
  std::optional<std::string> name;
  std::optional<bool> directed;
  std::optional<NodeFeatures::Kind> features;
  std::optional<int64_t> num_features;
  std::optional<int64_t> num_classes;
  std::vector<std::string> class_names;
  std::vector<std::string> node_names;
  /// How features.csv, a table, becomes features; empty: not known.
  std::vector<Column> columns;
  std::string split_set;
  std::optional<Treatment> treatment;
  std::vector<std::string> notes;
};

/// @throws Error naming the file and the key for an unknown key, a value of
///         the wrong type, or a version this program does not know.
CsvMeta read_csv_meta(const std::filesystem::path& file);

/// The text of the file. @param node_names  whether to include those.
/// @throws Error when a name is not valid UTF-8.
std::string csv_meta_text(const RawDataset& raw, bool node_names);

/// True when the file exists and carries the mark of folders of ours.
bool is_our_csv_meta(const std::filesystem::path& file);

}  // namespace ordered_gnn::data
