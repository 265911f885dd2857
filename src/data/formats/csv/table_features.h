#pragma once
#include <filesystem>
#include <string_view>

#include "data/formats/csv/features.h"
#include "data/formats/csv/meta.h"
#include "data/formats/csv/nodes.h"
#include "data/tables/delimited_text.h"
#include "data/tables/table_reader.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/data/loaders.h"

namespace ordered_gnn::data {

/// @throws Error that shows the expected header and the one that was found.
[[noreturn]] void fail_csv_header(const DelimitedText& text,
                                  const char* expected);

/// Adds the ids of a column to the nodes.
class NodeIdSink : public CellSink {
 public:
  NodeIdSink(const std::filesystem::path& file, NodeIds& nodes)
      : place_{file, 0}, nodes_(nodes) {}
  void add(std::string_view cell, int64_t line) override {
    place_.line = line;
    nodes_.add(cell, place_);
  }

 private:
  SourceLine place_;
  NodeIds& nodes_;
};

/// Reads features.csv as a table of columns of any kind, see read_table(): the
/// form for folders that users write. Sets table, columns and features; the
/// columns are those of the options, of dataset.json, or fitted here.
/// @throws Error for a wrong header, a node without a row or with two, and as
///         apply_columns() does.
void read_csv_table(const std::filesystem::path& file, const CsvMeta& meta,
                    const LoadOptions& options, DefinesNodes defines,
                    NodeIds& nodes, RawDataset& raw);

}  // namespace ordered_gnn::data
