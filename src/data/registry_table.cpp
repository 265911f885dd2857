#include <algorithm>
#include <cctype>

#include "ordered_gnn/data/registry.h"

namespace ordered_gnn {
namespace {

// The ways the paper's code treats its graphs. The Geom-GCN ones stay directed,
// Planetoid's files state both directions of every edge.
Treatment word_treatment() { return Treatment{}; }

Treatment node_id_treatment() {
  Treatment treatment;
  treatment.direction = Direction::reversed;
  treatment.features = Treatment::Features::identity;
  return treatment;
}

// Features as they are.
Treatment raw_treatment(Direction direction) {
  Treatment treatment;
  treatment.direction = direction;
  treatment.features = Treatment::Features::raw;
  return treatment;
}

std::string capitalised(std::string name) {
  name[0] = static_cast<char>(std::toupper(name[0]));
  return name;
}

// A Geom-GCN graph in the publisher's tree or in the cache of PyTorch
// Geometric, whose folder carries the dataset's name.
NamedDataset geom_gcn(const std::string& name, const std::string& summary,
                      const Treatment& treatment, const std::string& folder,
                      const std::string& split_prefix) {
  NamedDataset entry;
  entry.name = name;
  entry.summary = summary;
  entry.format = "geom-gcn";
  entry.treatment = treatment;
  entry.folders = {"geom-gcn/new_data/" + folder,
                   "new_data/" + folder,
                   name + "/geom_gcn/raw",
                   name + "/geom-gcn/raw",
                   name + "/raw",
                   capitalised(name) + "/raw",
                   name};
  if (folder != name) {
    entry.folders.push_back(folder + "/raw");
    entry.folders.push_back(folder);
  }
  entry.files = {"out1_graph_edges.txt", "out1_node_feature_label.txt"};
  entry.split_prefix = split_prefix;
  entry.split_folders = {"geom-gcn/splits", "splits"};
  return entry;
}

// A citation graph in the publisher's folder, where several share one, or in
// the cache of PyTorch Geometric, whose folder has the name in its own
// spelling.
NamedDataset planetoid(const std::string& name, const std::string& summary,
                       const std::string& cache_name) {
  NamedDataset entry;
  entry.name = name;
  entry.summary = summary;
  entry.format = "planetoid";
  entry.treatment = word_treatment();
  entry.folders = {"planetoid", "data", "."};
  for (const std::string& folder : {cache_name, name}) {
    entry.folders.push_back(folder + "/raw");
    entry.folders.push_back(folder + "/geom-gcn/raw");
    entry.folders.push_back("Planetoid/" + folder + "/raw");
  }
  entry.folders.emplace_back("raw");
  for (const char* part :
       {"x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"}) {
    entry.files.push_back("ind." + name + "." + part);
  }
  entry.split_prefix = name;
  entry.split_folders = {"geom-gcn/splits", "splits"};
  return entry;
}

// The papers and citations of arXiv as the Open Graph Benchmark stores them.
NamedDataset arxiv(const std::string& name, const std::string& summary,
                   Direction direction, int64_t year_classes) {
  NamedDataset entry;
  entry.name = name;
  entry.summary = summary;
  entry.format = "ogb";
  entry.treatment = raw_treatment(direction);
  entry.folders = {"ogbn-arxiv", "ogbn_arxiv", "arxiv"};
  entry.files = {"raw/edge.csv", "raw/node-feat.csv",
                 year_classes > 0 ? "raw/node_year.csv" : "raw/node-label.csv"};
  entry.split_folders = {"arxiv-year", "splits", "."};
  entry.year_classes = year_classes;
  return entry;
}

// One file of the heterophily benchmarks of Platonov et al., in the publishers'
// folder or in the cache of PyTorch Geometric. Splits are in the file.
NamedDataset heterophilous(const std::string& name, const std::string& summary,
                           Direction direction = Direction::undirected) {
  std::string stem = name;
  std::replace(stem.begin(), stem.end(), '-', '_');
  NamedDataset entry;
  entry.name = name;
  entry.summary = summary;
  entry.format = "npz";
  entry.treatment = raw_treatment(direction);
  entry.folders = {"heterophilous-graphs",
                   "heterophilous-graphs/data",
                   "data",
                   ".",
                   stem + "/raw",
                   "HeterophilousGraphDataset/" + stem + "/raw",
                   stem,
                   "raw"};
  entry.files = {stem + ".npz"};
  return entry;
}

// One file of the benchmark of Shchur et al. and the split that Polynormer and
// its successors use. The matrices are not symmetric, the graphs are meant so.
struct ShchurFile {
  std::string file;
  std::string cache;         // class of PyTorch Geometric, whose root it may be
  std::string cache_folder;  // what that calls the graph
  std::string split_prefix;
};

NamedDataset shchur(const std::string& name, const std::string& summary,
                    const ShchurFile& place) {
  NamedDataset entry;
  entry.name = name;
  entry.summary = summary;
  entry.format = "sparse-npz";
  entry.treatment = raw_treatment(Direction::undirected);
  entry.folders = {"gnn-benchmark",
                   "gnn-benchmark/data/npz",
                   "data/npz",
                   "data",
                   ".",
                   place.cache_folder + "/raw",
                   place.cache + "/" + place.cache_folder + "/raw",
                   "raw"};
  entry.files = {place.file};
  entry.split_prefix = place.split_prefix;
  entry.split_folders = {"gnn-benchmark/splits", "splits", "data", "."};
  return entry;
}

// "data.json" is anybody's name, so it is looked for in folders of its own.
NamedDataset wiki_cs() {
  NamedDataset entry;
  entry.name = "wiki-cs";
  entry.summary = "Wikipedia articles on computer science, 11,701 nodes";
  entry.format = "wiki-cs";
  entry.treatment = raw_treatment(Direction::undirected);
  entry.folders = {"wiki-cs",     "wiki-cs-dataset/dataset",
                   "WikiCS/raw",  "wikics/raw",
                   "wiki-cs/raw", "WikiCS",
                   "wikics"};
  entry.files = {"data.json"};
  return entry;
}

}  // namespace

const std::vector<NamedDataset>& named_datasets() {
  const Treatment words = word_treatment();
  const Treatment ids = node_id_treatment();
  static const std::vector<NamedDataset> table = {
      planetoid("cora", "citations of machine learning papers, 2,708 nodes",
                "Cora"),
      planetoid("citeseer", "citations of computer science papers, 3,327 nodes",
                "CiteSeer"),
      planetoid("pubmed", "citations of papers on diabetes, 19,717 nodes",
                "PubMed"),
      geom_gcn("texas", "WebKB web pages, 183 nodes", words, "texas", "texas"),
      geom_gcn("wisconsin", "WebKB web pages, 251 nodes", words, "wisconsin",
               "wisconsin"),
      geom_gcn("cornell",
               "WebKB web pages, 183 nodes, first published version (features "
               "and labels are those of texas)",
               words, "cornell", "cornell"),
      geom_gcn("cornell_fixed", "WebKB web pages, 183 nodes, corrected version",
               words, "cornell_fixed", "cornell"),
      geom_gcn("actor", "film actors on shared pages, 7,600 nodes", words,
               "film", "film"),
      geom_gcn("chameleon", "Wikipedia pages, 2,277 nodes", ids, "chameleon",
               "chameleon"),
      geom_gcn("squirrel", "Wikipedia pages, 5,201 nodes", ids, "squirrel",
               "squirrel"),
      arxiv("ogbn-arxiv", "arXiv papers by subject, 169,343 nodes",
            Direction::undirected, 0),
      arxiv("arxiv-year",
            "the same papers by year of publication, in five classes",
            Direction::reversed, 5),
      heterophilous("minesweeper",
                    "cells of the game on a grid of 100 x 100, usually scored "
                    "by ROC-AUC, 10,000 nodes"),
      heterophilous("tolokers",
                    "workers of a crowdsourcing platform, usually scored by "
                    "ROC-AUC, 11,758 nodes"),
      heterophilous("roman-empire",
                    "words of the Wikipedia article, 22,662 nodes"),
      heterophilous("amazon-ratings",
                    "products bought together by rating, 24,492 nodes"),
      heterophilous("questions",
                    "users of a site of questions and answers, usually scored "
                    "by ROC-AUC, 48,921 nodes"),
      heterophilous("chameleon-filtered",
                    "chameleon without its duplicates, 890 nodes"),
      heterophilous("chameleon-filtered-directed",
                    "the same with directed edges", Direction::as_stored),
      heterophilous("squirrel-filtered",
                    "squirrel without its duplicates, 2,223 nodes"),
      heterophilous("squirrel-filtered-directed",
                    "the same with directed edges", Direction::as_stored),
      shchur(
          "amazon-photo", "products bought together, 7,650 nodes",
          {"amazon_electronics_photo.npz", "Amazon", "Photo", "amazon-photo"}),
      shchur("amazon-computers", "products bought together, 13,752 nodes",
             {"amazon_electronics_computers.npz", "Amazon", "Computers",
              "amazon-computer"}),
      shchur("coauthor-cs", "authors in computer science, 18,333 nodes",
             {"ms_academic_cs.npz", "Coauthor", "CS", "coauthor-cs"}),
      shchur(
          "coauthor-physics", "authors in physics, 34,493 nodes",
          {"ms_academic_phy.npz", "Coauthor", "Physics", "coauthor-physics"}),
      wiki_cs(),
  };
  return table;
}

}  // namespace ordered_gnn
