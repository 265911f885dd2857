#include "data/fetch/dataset_files.h"

#include "core/io/text/text.h"
#include "data/paths.h"

namespace ordered_gnn::data {

namespace fs = std::filesystem;

std::vector<std::string> missing_files(const NamedDataset& named,
                                       const fs::path& folder) {
  std::vector<std::string> missing;
  for (const std::string& file : named.files) {
    if (!is_there(core::plain_or_gzipped(folder / file)))
      missing.push_back(file);
  }
  return missing;
}

DatasetFiles find_dataset_files(const NamedDataset& named,
                                const fs::path& root) {
  DatasetFiles best;
  best.name = named.name;
  for (const std::string& folder : named.folders) {
    std::vector<std::string> missing = missing_files(named, root / folder);
    if (!best.folder.empty() && missing.size() >= best.missing.size()) continue;
    best.folder = root / folder;
    best.missing = std::move(missing);
  }
  return best;
}

}  // namespace ordered_gnn::data
