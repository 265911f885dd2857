#include "ordered_gnn/data/loaders.h"

#include <algorithm>

#include "core/names.h"
#include "data/fingerprint.h"
#include "data/formats/csv/dataset.h"
#include "data/formats/geom_gcn/geom_gcn.h"
#include "data/formats/geom_gcn/splits.h"
#include "data/formats/npz/dataset.h"
#include "data/formats/npz/sparse.h"
#include "data/formats/npz/sparse_splits.h"
#include "data/formats/ogb/ogb.h"
#include "data/formats/planetoid/planetoid.h"
#include "data/formats/planetoid/splits.h"
#include "data/formats/wiki_cs/wiki_cs.h"
#include "data/load_dataset.h"
#include "data/paths.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

const char* const kGeomGcnNeeds =
    "a folder with out1_graph_edges.txt and out1_node_feature_label.txt, plain "
    "or .gz";
const char* const kPlanetoidNeeds =
    "a folder with the files ind.NAME.x, y, tx, ty, allx, ally, graph and "
    "test.index of one dataset, itself or in raw/, or one of these files";
const char* const kNpzNeeds =
    "an .npz file with edges, node_labels and features";
const char* const kSparseNpzNeeds =
    "an .npz file with adj_indptr and labels (adj_*, attr_*)";
const char* const kOgbNeeds =
    "a folder with raw/num-node-list.csv, edge.csv, node-feat.csv and "
    "node-label.csv, plain or .gz";
const char* const kWikiCsNeeds =
    "data.json with features, labels and links, or a folder that holds it, "
    "itself or in raw/, plain or .gz";
const char* const kCsvNeeds =
    "a folder with edges.csv and labels.csv or features.csv, plain or .gz";

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
       {data::kGeomGcnSplitSet},
       &data::is_geom_gcn_folder,
       &data::load_geom_gcn},
      {"planetoid",
       "pickled files of Cora, CiteSeer and PubMed",
       kPlanetoidNeeds,
       {data::kGeomGcnSplitSet, data::kPlanetoidPublic, data::kPlanetoidFull,
        data::kDropedgeFull},
       &data::is_planetoid,
       &data::load_planetoid},
      {"npz",
       "one file: the heterophily benchmarks' layout and ours",
       kNpzNeeds,
       {"file"},
       &data::is_npz_dataset,
       &data::load_npz_dataset},
      {"sparse-npz",
       "sparse matrices of the Amazon, Coauthor and citation graphs",
       kSparseNpzNeeds,
       {data::kPolynormerSplitSet},
       &data::is_sparse_npz,
       &data::load_sparse_npz},
      {"ogb",
       "folders of the OGB node datasets",
       kOgbNeeds,
       {},
       &data::is_ogb_folder,
       &data::load_ogb},
      {"wiki-cs",
       "the one file of Wiki-CS",
       kWikiCsNeeds,
       {"file"},
       &data::is_wiki_cs,
       &data::load_wiki_cs},
      {"csv",
       "a folder of comma-separated tables",
       kCsvNeeds,
       {"file"},
       &data::is_csv_folder,
       &data::load_csv_dataset},
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
      throw UsageError(
          core::unknown_name_message("format", format, loader_names()));
    }
    return *found;
  }
  if (!data::is_there(path)) {
    fail_in(path, "there is no such file or folder");
  }
  if (data::is_there(path / "parts.json")) {
    fail_in(path,
            "is a folder of parts of a graph, which 'ognn train', 'evaluate', "
            "'predict' and 'data info' take; other commands read the data that "
            "the parts were made of");
  }
  for (const Loader& loader : table) {
    if (loader.recognises(path)) return loader;
  }
  fail_unrecognised(path);
}

void data::require_split_set(const Loader& loader,
                             const std::string& split_set) {
  std::vector<std::string> known = {"auto", "none"};
  known.insert(known.end(), loader.split_sets.begin(), loader.split_sets.end());
  const bool checked_here = !loader.split_sets.empty();
  if (checked_here &&
      std::find(known.begin(), known.end(), split_set) == known.end()) {
    known.emplace_back("random:48/32/20");
    known.emplace_back("stratified:48/32/20");
    throw UsageError(core::unknown_name_message("split set", split_set, known));
  }
}

RawDataset load_with(const Loader& loader, const std::filesystem::path& path,
                     const LoadOptions& options) {
  data::require_split_set(loader, options.split_set);
  return loader.load(path, options);
}

RawDataset load_path(const std::filesystem::path& path,
                     const std::string& format, const LoadOptions& options) {
  RawDataset raw = load_with(find_loader(path, format), path, options);
  raw.provenance.fingerprint = data::content_fingerprint(raw);
  return raw;
}

}  // namespace ordered_gnn
