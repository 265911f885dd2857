#include "data/split_file.h"
#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

// The file of --split-file for four nodes: masks.csv, or an .npz of other
// parts. One of the third form has a target of its own, split_dictionaries.
void fuzz::try_split_file(std::string_view input) {
  RawDataset raw;
  raw.name = "four";
  raw.num_nodes = 4;
  raw.node_names = {"a", "b", "2", "0"};
  const bool is_text = input.find("masks.csv") != std::string_view::npos;
  const std::filesystem::path file =
      is_text ? fuzz::write_folder(input) / "masks.csv"
              : fuzz::write_npz(input, "splits.npz");
  data::attach_split_file(file.string(), raw);
}

}  // namespace ordered_gnn
