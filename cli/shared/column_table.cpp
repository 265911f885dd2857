#include "shared/column_table.h"

#include "data/tables/summary.h"

namespace ordered_gnn::cli {

Table column_table(const RawDataset& raw) {
  using lab::Align;
  Table table(
      {"column", "kind", "missing", "features", "becomes"},
      {Align::left, Align::left, Align::right, Align::right, Align::left});
  for (const data::ColumnSummary& column :
       data::summarise(raw.columns, raw.table.get())) {
    table.add({column.name, column.kind, std::to_string(column.num_missing),
               std::to_string(column.num_features), column.treatment});
  }
  return table;
}

nlohmann::ordered_json column_list(const RawDataset& raw) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const data::ColumnSummary& column :
       data::summarise(raw.columns, raw.table.get())) {
    nlohmann::ordered_json entry;
    entry["name"] = column.name;
    entry["kind"] = column.kind;
    entry["missing"] = column.num_missing;
    entry["treatment"] = column.treatment;
    entry["features"] = column.num_features;
    list.push_back(entry);
  }
  return list;
}

}  // namespace ordered_gnn::cli
