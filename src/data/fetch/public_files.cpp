#include "data/fetch/public_files.h"

#include <fmt/format.h>

#include "core/names.h"
#include "ordered_gnn/data/registry.h"

namespace ordered_gnn::data {
namespace {

using Files = std::vector<PublicFile>;

constexpr char kGitHub[] = "https://raw.githubusercontent.com/";
constexpr char kGeomGcn[] = "graphdml-uiuc-jlu/geom-gcn/";
// The branch no longer holds chameleon and squirrel, and its cornell is the
// corrected one, so the published versions are taken from fixed commits.
constexpr char kBranch[] = "master";
constexpr char kWebKbCommit[] = "1c4c04f93fa6ada91976cda8d7577eec0e3e5cce";
constexpr char kWikipediaCommit[] = "f1fc0d14b3b019c562737240d06ec83b07d16a8f";
constexpr char kCornellFixed[] =
    "WillHua127/GraphKAN-Graph-Kolmogorov-Arnold-Networks/main/data/cornell/"
    "raw";
constexpr char kArxivYear[] =
    "LUMIA-Group/OrderedGNN/main/datasets/datasets_linkx/data";
constexpr char kHeterophilous[] =
    "yandex-research/heterophilous-graphs/main/data/";
constexpr char kShchur[] = "shchur/gnn-benchmark/master/data/npz/";
constexpr char kPolynormer[] =
    "cornell-zhang/Polynormer/bcf05f69e324f4bbca96eae0eaa9d208181b8cc7/data/";
constexpr char kWikiCs[] =
    "https://github.com/pmernyei/wiki-cs-dataset/raw/master/dataset/data.json";
constexpr char kArxivZip[] =
    "https://snap.stanford.edu/ogb/data/nodeproppred/arxiv.zip";

KnownFile known_or_new(const std::string& path) {
  const KnownFile* const known = find_known_file(path);
  return known == nullptr ? KnownFile{path, -1, ""} : *known;
}

PublicFile plain(const std::string& path, const std::string& url) {
  PublicFile entry;
  entry.file = known_or_new(path);
  entry.url = url;
  return entry;
}

std::string geom_gcn_url(const std::string& version, const std::string& path) {
  return fmt::format("{}{}{}/{}", kGitHub, kGeomGcn, version, path);
}

void add_splits(Files& files, const std::string& prefix,
                const std::string& version) {
  for (int k = 0; k < 10; ++k) {
    const std::string path =
        fmt::format("splits/{}_split_0.6_0.2_{}.npz", prefix, k);
    files.push_back(plain("geom-gcn/" + path, geom_gcn_url(version, path)));
  }
}

Files planetoid(const std::string& name) {
  Files files;
  for (const char* part :
       {"x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"}) {
    const std::string file = fmt::format("ind.{}.{}", name, part);
    files.push_back(
        plain("planetoid/" + file, geom_gcn_url(kBranch, "data/" + file)));
  }
  add_splits(files, name, kBranch);
  return files;
}

Files graph_files(const std::string& folder, const std::string& base_url) {
  Files files;
  for (const char* file :
       {"out1_graph_edges.txt", "out1_node_feature_label.txt"}) {
    files.push_back(plain(fmt::format("geom-gcn/new_data/{}/{}", folder, file),
                          fmt::format("{}/{}", base_url, file)));
  }
  return files;
}

Files geom_gcn(const std::string& folder, const std::string& version,
               const std::string& splits_version) {
  Files files =
      graph_files(folder, geom_gcn_url(version, "new_data/" + folder));
  add_splits(files, folder, splits_version);
  return files;
}

Files cornell_fixed() {
  Files files =
      graph_files("cornell_fixed", std::string(kGitHub) + kCornellFixed);
  add_splits(files, "cornell", kBranch);
  return files;
}

Files ogbn_arxiv() {
  PublicFile archive = plain("ogbn-arxiv/arxiv.zip", kArxivZip);
  archive.unpack_from = "arxiv/";
  archive.unpack_to = "ogbn-arxiv/";
  for (const char* file :
       {"raw/edge.csv.gz", "raw/node-feat.csv.gz", "raw/node-label.csv.gz",
        "raw/node_year.csv.gz", "raw/num-node-list.csv.gz",
        "raw/num-edge-list.csv.gz", "split/time/train.csv.gz",
        "split/time/valid.csv.gz", "split/time/test.csv.gz"}) {
    archive.contents.push_back(known_or_new(archive.unpack_to + file));
  }
  return {archive};
}

Files arxiv_year() {
  Files files = ogbn_arxiv();
  const std::string file = "arxiv-year-splits.npy";
  files.push_back(plain("arxiv-year/" + file,
                        fmt::format("{}{}/{}", kGitHub, kArxivYear, file)));
  return files;
}

Files heterophilous(const std::string& stem) {
  const std::string file = stem + ".npz";
  return {plain("heterophilous-graphs/" + file,
                std::string(kGitHub) + kHeterophilous + file)};
}

Files shchur(const std::string& file, const std::string& split_prefix) {
  const std::string split = split_prefix + "_split.npz";
  return {plain("gnn-benchmark/" + file, std::string(kGitHub) + kShchur + file),
          plain("gnn-benchmark/splits/" + split,
                std::string(kGitHub) + kPolynormer + split)};
}

struct Row {
  std::string name;
  Files files;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {"cora", planetoid("cora")},
      {"citeseer", planetoid("citeseer")},
      {"pubmed", planetoid("pubmed")},
      {"texas", geom_gcn("texas", kWebKbCommit, kBranch)},
      {"wisconsin", geom_gcn("wisconsin", kWebKbCommit, kBranch)},
      {"cornell", geom_gcn("cornell", kWebKbCommit, kBranch)},
      {"cornell_fixed", cornell_fixed()},
      {"actor", geom_gcn("film", kBranch, kBranch)},
      {"chameleon", geom_gcn("chameleon", kWikipediaCommit, kWikipediaCommit)},
      {"squirrel", geom_gcn("squirrel", kWikipediaCommit, kWikipediaCommit)},
      {"ogbn-arxiv", ogbn_arxiv()},
      {"arxiv-year", arxiv_year()},
      {"minesweeper", heterophilous("minesweeper")},
      {"tolokers", heterophilous("tolokers")},
      {"roman-empire", heterophilous("roman_empire")},
      {"amazon-ratings", heterophilous("amazon_ratings")},
      {"questions", heterophilous("questions")},
      {"chameleon-filtered", heterophilous("chameleon_filtered")},
      {"chameleon-filtered-directed",
       heterophilous("chameleon_filtered_directed")},
      {"squirrel-filtered", heterophilous("squirrel_filtered")},
      {"squirrel-filtered-directed",
       heterophilous("squirrel_filtered_directed")},
      {"amazon-photo", shchur("amazon_electronics_photo.npz", "amazon-photo")},
      {"amazon-computers",
       shchur("amazon_electronics_computers.npz", "amazon-computer")},
      {"coauthor-cs", shchur("ms_academic_cs.npz", "coauthor-cs")},
      {"coauthor-physics", shchur("ms_academic_phy.npz", "coauthor-physics")},
      {"wiki-cs", {plain("wiki-cs/data.json", kWikiCs)}},
  };
  return table;
}

}  // namespace

const std::vector<std::string>& public_dataset_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Row& row : rows()) list.push_back(row.name);
    return list;
  }();
  return names;
}

std::vector<PublicFile> public_files(const std::string& dataset) {
  const NamedDataset* const named = find_named_dataset(dataset);
  const std::string& name = named == nullptr ? dataset : named->name;
  return rows()[core::parse_name("dataset", name, public_dataset_names())]
      .files;
}

}  // namespace ordered_gnn::data
