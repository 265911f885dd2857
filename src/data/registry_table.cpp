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
  entry.treatment.direction = direction;
  entry.treatment.features = Treatment::Features::raw;
  entry.folders = {"ogbn-arxiv", "ogbn_arxiv", "arxiv"};
  entry.files = {"raw/edge.csv", "raw/node-feat.csv",
                 year_classes > 0 ? "raw/node_year.csv" : "raw/node-label.csv"};
  entry.split_folders = {"arxiv-year", "splits", "."};
  entry.year_classes = year_classes;
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
  };
  return table;
}

}  // namespace ordered_gnn
