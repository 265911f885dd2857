#include "data/formats/csv/labels.h"

#include <ATen/Functions.h>

#include "data/formats/csv/layout.h"
#include "data/formats/csv/table_features.h"
#include "data/tables/label_reader.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {

void read_csv_labels(const std::filesystem::path& file, const CsvMeta& meta,
                     const std::string& unlabelled, NodeIds& nodes,
                     RawDataset& raw) {
  const DelimitedText text(file);
  if (text.header() != std::vector<std::string>{"node", "label"}) {
    fail_csv_header(text, csv_layout::kLabelHeader);
  }
  NodeIdSink ids(file, nodes);
  LabelReader labels(unlabelled);
  TableRequest request;
  request.sinks = {{0, &ids}, {1, &labels}};
  const Table rows = read_table(text, request, raw.provenance.notes);
  if (rows.num_rows == 0) fail_in(file, "there are no nodes after the header");
  nodes.finish(file);
  LabelReader::Labels found = labels.finish(
      file, {meta.class_names, meta.num_classes}, raw.provenance.notes);
  raw.labels = at::empty({nodes.size()}, at::kLong);
  int64_t* const label = raw.labels.data_ptr<int64_t>();
  for (int64_t row = 0; row < nodes.size(); ++row) {
    label[nodes.node_of_row(row)] = found.by_row[static_cast<size_t>(row)];
  }
  raw.num_classes = found.num_classes;
  raw.class_names = std::move(found.class_names);
}

}  // namespace ordered_gnn::data
