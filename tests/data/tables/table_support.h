#pragma once
#include <string>
#include <vector>

#include "data/tables/delimited_text.h"
#include "data/tables/table_reader.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::data {

using Rows = std::vector<std::vector<std::string>>;

/// The records of a text behind its header.
inline Rows rows_of(const std::string& text) {
  const DelimitedText table("t.csv", text);
  RecordReader records(table);
  std::vector<std::string_view> fields;
  Rows rows;
  while (records.next(fields)) rows.emplace_back(fields.begin(), fields.end());
  return rows;
}

struct ReadTable {
  Table table;
  std::vector<std::string> notes;

  const TableColumn& column(const std::string& name) const {
    for (const TableColumn& found : table.columns) {
      if (found.name == name) return found;
    }
    throw Error("no column " + name);
  }
};

inline ReadTable read_text(const std::string& text,
                           const TableRequest& request = {}) {
  ReadTable out;
  out.table = read_table(DelimitedText("t.csv", text), request, out.notes);
  return out;
}

/// "x\n" and the cells, one a line.
inline std::string one_column(const std::vector<std::string>& cells) {
  std::string text = "n,x\n";
  for (size_t i = 0; i < cells.size(); ++i) {
    text += std::to_string(i) + "," + cells[i] + "\n";
  }
  return text;
}

inline bool any_contains(const std::vector<std::string>& texts,
                         const std::string& part) {
  for (const std::string& text : texts) {
    if (text.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace ordered_gnn::data
