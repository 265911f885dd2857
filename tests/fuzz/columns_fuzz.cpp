#include "core/io/file.h"
#include "data/tables/column_json.h"
#include "data/tables/import.h"
#include "fuzz/harness.h"
#include "fuzz/targets.h"
#include "ordered_gnn/core/options.h"

namespace ordered_gnn {

// columns.json as checkpoints and datasets state it, and a table, nodes.csv and
// edges.csv, of which features are made by it.
void fuzz::try_columns(std::string_view input) {
  const std::filesystem::path folder = fuzz::write_folder(input);
  data::ImportOptions tables;
  tables.nodes = folder / "nodes.csv";
  tables.edges = folder / "edges.csv";
  tables.label = "label";
  tables.with_features = false;
  RawDataset raw = data::import_tables(tables);
  LoadOptions options;
  const Json columns =
      Json::parse(core::read_file(folder / "columns.json"), nullptr,
                  /*allow_exceptions=*/false);
  if (columns.is_discarded()) fail("columns.json is no JSON");
  options.columns = data::columns_from_json(columns);
  options.missing_columns = MissingColumns::fill;
  data::make_features(raw, options);
  validate(raw);
}

}  // namespace ordered_gnn
