#include "support/dataset_samples.h"

#include <ATen/Functions.h>
#include <zlib.h>

#include <fstream>
#include <stdexcept>
#include <string_view>

#include "core/io/npy/npz.h"
#include "data/formats/csv/dataset.h"
#include "data/formats/geom_gcn/splits.h"
#include "data/formats/npz/dataset.h"
#include "ordered_gnn/data/dataset.h"
#include "support/pickle_writer.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEdgeFile = "out1_graph_edges.txt";
constexpr const char* kNodeFile = "out1_node_feature_label.txt";
constexpr std::string_view kEdges =
    "node_id\tnode_id\n0\t1\n1\t2\n3\t0\n2\t2\n";
constexpr std::string_view kNodes =
    "node_id\tfeature\tlabel\n"
    "0\t0,1,0,0,0,0,0,0\t0\n"
    "2\t0,0,0,0,0,0,0,0\t1\n"
    "1\t0,0,0,0,0,0.5,0,-1e-3\t1\n"
    "3\t1,0,0,0,0,1,0,0\t-1\n";
constexpr std::string_view kIndexNodes =
    "node_id\tfeature feature_amount:9\tlabel\n"
    "0\t1,8\t0\n1\t\t1\n2\t3,3,9\t1\n3\t0,1,2,3,4\t0\n";

void write_plain(const fs::path& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

void write_gzipped(const fs::path& path, std::string_view text) {
  gzFile file = gzopen(path.c_str(), "wb");
  if (file == nullptr) throw std::runtime_error("gzopen " + path.string());
  const unsigned size = static_cast<unsigned>(text.size());
  const bool written =
      gzwrite(file, text.data(), size) == static_cast<int>(size);
  if (gzclose(file) != Z_OK || !written) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

at::Tensor tensor(const std::vector<int64_t>& values, at::ScalarType dtype) {
  return at::from_blob(const_cast<int64_t*>(values.data()),
                       {static_cast<int64_t>(values.size())}, at::kLong)
      .to(dtype)
      .clone();
}

at::Tensor ints(const std::vector<int64_t>& values) {
  return tensor(values, at::kLong);
}

void write_split(const fs::path& folder) {
  core::NpzWriter archive(
      folder / data::geom_gcn_split_name(folder.filename().string(), 0));
  archive.add("train_mask", tensor({1, 0, 0, 0}, at::kByte));
  archive.add("val_mask", tensor({0, 1, 0, 0}, at::kBool));
  archive.add("test_mask", tensor({0, 0, 1, 0}, at::kByte));
  archive.finish();
}

fs::path write_geom_gcn(const fs::path& root) {
  const fs::path folder = root / "small";
  fs::create_directories(folder);
  write_plain(folder / kNodeFile, kNodes);
  write_plain(folder / kEdgeFile, kEdges);
  write_split(folder);
  return folder;
}

fs::path write_geom_gcn_indices(const fs::path& folder) {
  write_plain(folder / kNodeFile, kIndexNodes);
  write_plain(folder / kEdgeFile, kEdges);
  return folder;
}

fs::path write_geom_gcn_gzipped(const fs::path& folder) {
  write_gzipped(folder / (std::string(kNodeFile) + ".gz"), kNodes);
  write_gzipped(folder / (std::string(kEdgeFile) + ".gz"), kEdges);
  return folder;
}

RawDataset small_dataset() {
  RawDataset raw;
  raw.name = "small";
  raw.num_nodes = 4;
  raw.edges = ints({0, 1, 3, 2, 1, 2, 0, 2}).view({2, 4});
  raw.features =
      NodeFeatures::dense(at::arange(12, at::kFloat).view({4, 3}).div(4));
  raw.labels = ints({0, 1, 1, -1});
  raw.num_classes = 2;
  raw.splits = {{ints({0}), ints({1}), ints({2})}};
  raw.split_set = "file";
  raw.node_names = {"a", "b", "c", "d"};
  raw.recommended = Treatment{};
  return raw;
}

fs::path write_npz_stored(const fs::path& folder) {
  const fs::path file = folder / "small.npz";
  data::write_npz_dataset(file, small_dataset(),
                          core::NpzWriter::Compression::stored);
  return file;
}

fs::path write_npz_deflated(const fs::path& folder) {
  RawDataset raw = small_dataset();
  const SparseRows rows{ints({0, 1, 1, 3, 4}), tensor({2, 0, 4, 1}, at::kInt),
                        ints({1, 2, 3, 4}).to(at::kFloat)};
  raw.features = NodeFeatures::sparse(rows, 5);
  const fs::path file = folder / "small.npz";
  data::write_npz_dataset(file, raw, core::NpzWriter::Compression::deflated);
  return file;
}

fs::path write_npz_identity(const fs::path& folder) {
  RawDataset raw = small_dataset();
  raw.features = NodeFeatures::identity(raw.num_nodes);
  raw.splits.clear();
  raw.split_set.clear();
  const fs::path file = folder / "small.npz";
  data::write_npz_dataset(file, raw, core::NpzWriter::Compression::stored);
  return file;
}

fs::path write_npz_published(const fs::path& folder) {
  const RawDataset raw = small_dataset();
  const fs::path file = folder / "small_directed.npz";
  core::NpzWriter archive(file, core::NpzWriter::Compression::deflated);
  archive.add("edges", raw.edges.t().to(at::kInt));
  archive.add("node_labels", raw.labels);
  archive.add("node_features", raw.features.dense_values().to(at::kDouble));
  archive.add("train_masks", tensor({1, 0, 0, 0}, at::kBool).view({1, 4}));
  archive.add("val_masks", tensor({0, 1, 0, 0}, at::kBool).view({1, 4}));
  archive.add("test_masks", tensor({0, 0, 1, 0}, at::kBool).view({1, 4}));
  archive.finish();
  return file;
}

fs::path write_csv(const fs::path& root) {
  const fs::path folder = root / "csv";
  data::write_csv_dataset(folder, small_dataset());
  return folder;
}

fs::path write_csv_by_hand(const fs::path& folder) {
  write_plain(folder / "edges.csv",
              "source,target\nann,bob\nbob,\"c, d\"\n\"c, d\",eve\n");
  write_plain(folder / "labels.csv",
              "node,label\nann,cat\nbob,dog\n\"c, d\",cat\neve,\n");
  write_gzipped(folder / "sparse_features.csv.gz",
                "node,feature,value\nann,0,1\neve,3,-2.5e-1\n");
  write_plain(folder / "masks.csv",
              "node,split_0\nann,train\nbob,val\n\"c, d\",test\neve,\n");
  return folder;
}

fs::path write_sparse_npz(const fs::path& folder) {
  const fs::path file = folder / "small.npz";
  core::NpzWriter archive(file, core::NpzWriter::Compression::deflated);
  for (const char* matrix : {"adj", "attr"}) {
    const std::string prefix = std::string(matrix) + "_";
    archive.add(prefix + "data", tensor({1, 1, 2, 1}, at::kFloat));
    archive.add(prefix + "indices", tensor({1, 2, 0, 2}, at::kInt));
    archive.add(prefix + "indptr", tensor({0, 1, 2, 3, 4}, at::kInt));
    archive.add(prefix + "shape", ints({4, 4}));
  }
  archive.add("labels", tensor({0, 1, 1, 0}, at::kInt));
  archive.finish();
  return file;
}

fs::path write_ogb(const fs::path& folder) {
  fs::create_directories(folder / "raw");
  fs::create_directories(folder / "split/time");
  write_plain(folder / "raw/num-node-list.csv", "4\n");
  write_plain(folder / "raw/num-edge-list.csv", "3\n");
  write_gzipped(folder / "raw/edge.csv.gz", "0,1\n1,2\n3,0\n");
  write_plain(folder / "raw/node-feat.csv",
              "0.5,-1\n1e-3,2\n0.25,3\n1,0.125\n");
  write_plain(folder / "raw/node-label.csv", "0\n1\n1.0\nnan\n");
  write_plain(folder / "raw/node_year.csv", "2001\n2005\n2010\n2015\n");
  write_plain(folder / "split/time/train.csv", "0\n");
  write_plain(folder / "split/time/valid.csv", "2\n");
  write_plain(folder / "split/time/test.csv", "1\n");
  return folder;
}

fs::path write_wiki_cs(const fs::path& folder) {
  write_plain(folder / "data.json",
              R"({"features": [[0.5, -1], [1e-3, 2], [0, 3], [1, 0]],
 "labels": [0, 1, 1, -1], "links": [[1, 2], [0], [], [3]],
 "train_masks": [[true, false, false, false], [false, true, false, false]],
 "stopping_masks": [[false, false, false, true], [true, false, false, false]],
 "val_masks": [[false, true, false, false], [false, false, false, true]],
 "test_mask": [false, false, true, false], "other": {"a": [null, "b"]}})");
  return folder;
}

fs::path write_planetoid(const fs::path& folder) {
  using namespace pickled;
  const auto put = [&](const std::string& part, const std::string& value) {
    write_plain(folder / ("ind.tiny." + part), pickled::file(value));
  };
  const at::Tensor rows = at::eye(4, at::kFloat);
  const at::Tensor one_hot = at::eye(2, at::kInt);
  put("x", csr(rows.narrow(0, 0, 1)));
  put("y", array(one_hot.narrow(0, 0, 1)));
  put("allx", csr(rows.narrow(0, 0, 2)));
  put("ally", array(one_hot));
  put("tx", csr(rows.narrow(0, 2, 2)));
  put("ty", array(one_hot));
  put("graph", graph({{0, {1, 2}}, {1, {0}}, {2, {0, 3}}, {3, {2}}}));
  write_plain(folder / "ind.tiny.test.index", "3\n2\n");
  return folder;
}

}  // namespace

std::string split_dictionaries_sample() {
  const std::string split = pickled::split({3, 0}, {1}, {2});
  return pickled::split_file({split, split});
}

const std::vector<DatasetSample>& dataset_samples() {
  static const std::vector<DatasetSample> samples = {
      {"geom_gcn", "geom-gcn", 4, &write_geom_gcn},
      {"geom_gcn_indices", "geom-gcn", 4, &write_geom_gcn_indices},
      {"geom_gcn_gzipped", "geom-gcn", 4, &write_geom_gcn_gzipped},
      {"npz_stored", "npz", 4, &write_npz_stored},
      {"npz_deflated", "npz", 4, &write_npz_deflated},
      {"npz_identity", "npz", 4, &write_npz_identity},
      {"npz_published", "npz", 4, &write_npz_published},
      {"sparse_npz", "sparse-npz", 4, &write_sparse_npz},
      {"csv", "csv", 4, &write_csv},
      {"csv_by_hand", "csv", 4, &write_csv_by_hand},
      {"ogb", "ogb", 4, &write_ogb},
      {"planetoid", "planetoid", 4, &write_planetoid},
      {"wiki_cs", "wiki-cs", 4, &write_wiki_cs},
  };
  return samples;
}

}  // namespace ordered_gnn
