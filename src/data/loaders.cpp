#include "ordered_gnn/data/loaders.h"

#include <algorithm>

#include "data/paths.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/names.h"
#include "ordered_gnn/data/fingerprint.h"
#include "ordered_gnn/data/geom_gcn.h"
#include "ordered_gnn/data/geom_gcn_splits.h"
#include "ordered_gnn/data/npz_dataset.h"

namespace ordered_gnn {
namespace {

const char* const kGeomGcnNeeds =
    "a folder with out1_graph_edges.txt and out1_node_feature_label.txt, plain "
    "or .gz";
const char* const kNpzNeeds =
    "an .npz file with edges, node_labels and features";

std::vector<std::string> loader_names() {
  std::vector<std::string> names{"auto"};
  for (const Loader& loader : loaders()) names.push_back(loader.name);
  return names;
}

[[noreturn]] void fail_unrecognised(const std::filesystem::path& path) {
  std::string needs;
  for (const Loader& loader : loaders()) {
    needs += fmt::format("\n  {}: {}", loader.name, loader.needs);
  }
  fail_in(path, "no known dataset format fits. A format needs:" + needs);
}

}  // namespace

const std::vector<Loader>& loaders() {
  static const std::vector<Loader> table = {
      {"geom-gcn",
       "text folders of the Geom-GCN benchmarks",
       kGeomGcnNeeds,
       {kGeomGcnSplitSet},
       &is_geom_gcn_folder,
       &load_geom_gcn},
      {"npz",
       "one file: the heterophily benchmarks' layout and ours",
       kNpzNeeds,
       {"file"},
       &is_npz_dataset,
       &load_npz_dataset},
  };
  return table;
}

const Loader& find_loader(const std::filesystem::path& path,
                          const std::string& format) {
  const std::vector<Loader>& table = loaders();
  if (format != "auto") {
    const auto found = std::find_if(
        table.begin(), table.end(),
        [&](const Loader& loader) { return loader.name == format; });
    if (found == table.end()) {
      throw UsageError(unknown_name_message("format", format, loader_names()));
    }
    return *found;
  }
  if (!is_there(path)) {
    fail_in(path, "there is no such file or folder");
  }
  for (const Loader& loader : table) {
    if (loader.recognises(path)) return loader;
  }
  fail_unrecognised(path);
}

RawDataset load_with(const Loader& loader, const std::filesystem::path& path,
                     const LoadOptions& options) {
  std::vector<std::string> known = {"auto", "none"};
  known.insert(known.end(), loader.split_sets.begin(), loader.split_sets.end());
  if (std::find(known.begin(), known.end(), options.split_set) == known.end()) {
    known.emplace_back("random:48/32/20");
    known.emplace_back("stratified:48/32/20");
    throw UsageError(
        unknown_name_message("split set", options.split_set, known));
  }
  return loader.load(path, options);
}

RawDataset load_path(const std::filesystem::path& path,
                     const std::string& format, const LoadOptions& options) {
  RawDataset raw = load_with(find_loader(path, format), path, options);
  raw.provenance.fingerprint = content_fingerprint(raw);
  return raw;
}

}  // namespace ordered_gnn
