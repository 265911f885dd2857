#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/formats/csv/nodes.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// The label column of a CSV folder: class numbers or names, told apart by the
/// column as a whole; csv_dataset.h states the rule.
class CsvLabels {
 public:
  /// Adds the cell of the next row. @throws Error at `place`.
  void add(std::string_view cell, const SourceLine& place);

  /// Fills labels, class_names and num_classes of the dataset. Where
  /// `class_names` is not empty already, names must be among it.
  void fill(const std::filesystem::path& file, const NodeIds& nodes,
            RawDataset& raw) const;

 private:
  void become_names();
  int64_t code_of(std::string_view name);
  std::vector<int64_t> classes_by_order(RawDataset& raw) const;
  std::vector<int64_t> classes_by_name(const std::filesystem::path& file,
                                       const RawDataset& raw) const;

  bool are_numbers_ = true;
  /// By row: -1, or the class number, or the position in names_.
  std::vector<int64_t> codes_;
  std::deque<std::string> names_;  // in order of appearance, never moved
  std::unordered_map<std::string_view, int64_t> index_;  // into names_
};

/// Reads labels.csv, which defines the nodes.
void read_csv_labels(const std::filesystem::path& file, NodeIds& nodes,
                     RawDataset& raw);

}  // namespace ordered_gnn::data
