#include "ordered_gnn/data/registry.h"

namespace ordered_gnn {
namespace {

// The two ways the paper's code treats the Geom-GCN graphs; they stay directed.
Treatment word_treatment() { return Treatment{}; }

Treatment node_id_treatment() {
  Treatment treatment;
  treatment.direction = Direction::reversed;
  treatment.features = Treatment::Features::identity;
  return treatment;
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

}  // namespace

const std::vector<NamedDataset>& named_datasets() {
  const Treatment words = word_treatment();
  const Treatment ids = node_id_treatment();
  static const std::vector<NamedDataset> table = {
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
  };
  return table;
}

}  // namespace ordered_gnn
