#include <string>
#include <vector>

#include "data/formats/geom_gcn/split_dictionaries.h"
#include "data/formats/ogb/splits.h"
#include "data/split_places.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "arxiv-year-splits.npy";

std::vector<fs::path> places(const fs::path& folder,
                             const LoadOptions& options) {
  // Written "ogbn-arxiv/" a folder would be its own parent.
  fs::path full = fs::absolute(folder).lexically_normal();
  if (!full.has_filename()) full = full.parent_path();
  std::vector<fs::path> places = options.split_folders;
  places.push_back(folder);
  places.push_back(full.parent_path());
  places.push_back(full.parent_path() / "arxiv-year");
  return places;
}

}  // namespace

void attach_arxiv_year_splits(const fs::path& folder,
                              const LoadOptions& options, bool required,
                              RawDataset& raw) {
  const std::vector<fs::path> folders = places(folder, options);
  const fs::path file = find_in(folders, kFile);
  if (!file.empty()) {
    raw.splits = load_split_dictionaries(file, raw.num_nodes);
    raw.split_set = kArxivYearSplitSet;
    raw.provenance.files.push_back(file.string());
    return;
  }
  const std::string message =
      not_found_in(folders, fmt::format("no split file: looked for {}", kFile),
                   "random:50/25/25");
  if (required) fail("dataset '{}': {}", raw.name, message);
  raw.provenance.notes.push_back(message);
}

}  // namespace ordered_gnn::data
