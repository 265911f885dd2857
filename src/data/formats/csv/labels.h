#pragma once
#include <filesystem>
#include <string>

#include "data/formats/csv/meta.h"
#include "data/formats/csv/nodes.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// Reads labels.csv, which defines the nodes. dataset.json may know the
/// classes; see LabelReader for how labels become classes.
/// @param unlabelled  a label that means none, beside the empty cell.
void read_csv_labels(const std::filesystem::path& file, const CsvMeta& meta,
                     const std::string& unlabelled, NodeIds& nodes,
                     RawDataset& raw);

}  // namespace ordered_gnn::data
