#include <string>
#include <vector>

#include "data/formats/geom_gcn/split_dictionaries.h"
#include "data/formats/ogb/splits.h"
#include "data/paths.h"
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
  std::string searched;
  for (const fs::path& place : places(folder, options)) {
    const fs::path file = place / kFile;
    if (is_there(file)) {
      raw.splits = load_split_dictionaries(file, raw.num_nodes);
      raw.split_set = kArxivYearSplitSet;
      raw.provenance.files.push_back(file.string());
      return;
    }
    searched += fmt::format(" '{}'", place.string());
  }
  const std::string message = fmt::format(
      "no split file: looked for {} in{}; --split-set "
      "random:50/25/25 makes splits where there are none",
      kFile, searched);
  if (required) fail("dataset '{}': {}", raw.name, message);
  raw.provenance.notes.push_back(message);
}

}  // namespace ordered_gnn::data
