#include "data/formats/npz/sparse_splits.h"

#include <string>
#include <vector>

#include "data/formats/npz/splits.h"
#include "data/split_checks.h"
#include "data/split_places.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {

void attach_polynormer_split(const std::filesystem::path& file,
                             const LoadOptions& options, RawDataset& raw) {
  if (options.split_set == "none") return;
  const std::string& prefix =
      options.split_prefix.empty() ? raw.name : options.split_prefix;
  const std::string name = prefix + "_split.npz";
  std::vector<std::filesystem::path> folders = options.split_folders;
  folders.push_back(file.parent_path());
  folders.push_back(file.parent_path() / "splits");
  const std::filesystem::path found = find_in(folders, name);
  if (!found.empty()) {
    raw.splits = read_npz_splits(core::NpzReader(found), raw.num_nodes);
    require_full_parts(raw.splits, found.string());
    raw.split_set = kPolynormerSplitSet;
    raw.provenance.files.push_back(found.string());
    return;
  }
  const std::string message = not_found_in(
      folders, "no split file: looked for " + name, "stratified:60/20/20");
  if (options.split_set != "auto") fail("dataset '{}': {}", raw.name, message);
  if (!options.split_prefix.empty()) raw.provenance.notes.push_back(message);
}

}  // namespace ordered_gnn::data
