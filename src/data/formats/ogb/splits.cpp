#include "data/formats/ogb/splits.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "core/io/folder.h"
#include "core/io/text/text.h"
#include "core/names.h"
#include "data/paths.h"
#include "data/split_checks.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split_set_names(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::path& entry : core::entries_if_any(folder / "split")) {
    std::error_code ignored;
    if (fs::is_directory(entry, ignored)) {
      names.push_back(entry.filename().string());
    }
  }
  return names;
}

void read_split_set(const fs::path& folder, const std::string& name,
                    const OgbCount& nodes, RawDataset& raw) {
  const auto read = [&](const char* part) {
    const fs::path file =
        core::plain_or_gzipped(folder / "split" / name / part);
    if (!is_there(file)) {
      fail_in(file, "this part of the split is missing, plain or as .gz");
    }
    raw.provenance.files.push_back(file.string());
    return read_ogb_nodes(file, nodes);
  };
  Split split;
  split.train = read("train.csv");
  split.val = read("valid.csv");
  split.test = read("test.csv");
  check_split(split, nodes.count, (folder / "split" / name).string());
  raw.splits = {split};
  raw.split_set = name;
}

[[noreturn]] void fail_unknown(std::string_view asked,
                               std::vector<std::string> known) {
  known.insert(known.end(), {kArxivYearSplitSet, "auto", "none",
                             "random:48/32/20", "stratified:48/32/20"});
  throw UsageError(core::unknown_name_message("split set", asked, known));
}

}  // namespace

void attach_ogb_splits(const fs::path& folder, const LoadOptions& options,
                       const OgbCount& nodes, RawDataset& raw) {
  const std::string& asked = options.split_set;
  const bool automatic = asked == "auto";
  if (asked == "none") return;
  if (asked == kArxivYearSplitSet || (automatic && options.year_classes > 0)) {
    attach_arxiv_year_splits(folder, options, !automatic, raw);
    return;
  }
  const std::vector<std::string> names = split_set_names(folder);
  if (automatic && names.empty()) {
    raw.provenance.notes.push_back(
        fmt::format("there are no splits in '{}'; --split-set "
                    "random:48/32/20 makes some",
                    (folder / "split").string()));
    return;
  }
  const std::string& name = automatic ? names.front() : asked;
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    fail_unknown(name, names);
  }
  if (automatic && names.size() > 1) {
    raw.provenance.notes.push_back(fmt::format(
        "of {} split sets the first, '{}', is used", names.size(), name));
  }
  read_split_set(folder, name, nodes, raw);
}

}  // namespace ordered_gnn::data
