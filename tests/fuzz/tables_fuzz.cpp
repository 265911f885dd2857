#include <filesystem>

#include "data/tables/import.h"
#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

// A folder with nodes.csv or g.graphml, and edges.csv; the label, where there
// is one, is the column "label".
void fuzz::try_tables(std::string_view input) {
  const std::filesystem::path folder = fuzz::write_folder(input);
  data::ImportOptions options;
  const bool is_table = std::filesystem::exists(folder / "nodes.csv");
  options.nodes = folder / (is_table ? "nodes.csv" : "g.graphml");
  if (std::filesystem::exists(folder / "edges.csv")) {
    options.edges = folder / "edges.csv";
  }
  if (input.find("label") != std::string_view::npos) options.label = "label";
  if (is_table && options.edges.empty()) return;
  const RawDataset raw = data::import_tables(options);
  prepare(raw, resolve_treatment({}, raw));
}

}  // namespace ordered_gnn
