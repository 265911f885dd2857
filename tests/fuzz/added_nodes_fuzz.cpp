#include "data/formats/csv/added_nodes.h"
#include "fuzz/harness.h"
#include "fuzz/samples.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

// nodes.csv and edges.csv of `ognn predict --add-nodes --add-edges`.
void fuzz::try_added_nodes(std::string_view input) {
  static const NodeDataset known = fuzz::small_dataset();
  const std::filesystem::path folder = fuzz::write_folder(input);
  data::AddedFiles files;
  for (const auto& [path, name] : {std::pair(&files.nodes, "nodes.csv"),
                                   std::pair(&files.edges, "edges.csv")}) {
    if (std::filesystem::exists(folder / name)) *path = folder / name;
  }
  const AddedNodes added = data::read_added_nodes(known, files);
  fuzz::must_succeed("what was read cannot be added",
                     [&] { with_added(known, added); });
}

}  // namespace ordered_gnn
