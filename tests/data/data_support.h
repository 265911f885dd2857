#pragma once
#include <gtest/gtest.h>
#include <torch/types.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include "core/io/npy/npz.h"
#include "data/fingerprint.h"
#include "data/formats/geom_gcn/splits.h"
#include "ordered_gnn/data/dataset.h"
#include "support/errors.h"
#include "support/real_data.h"
#include "support/temp_dir.h"

namespace ordered_gnn::data {

inline at::Tensor ints(const std::vector<int64_t>& values) {
  return torch::tensor(values, torch::kLong);
}

/// Sets an environment variable for the scope; nullptr removes it.
class ScopedEnvironment {
 public:
  ScopedEnvironment(const char* name, const char* value) : name_(name) {
    const char* const before = std::getenv(name);
    had_before_ = before != nullptr;
    if (had_before_) before_ = before;
    set(value);
  }
  ~ScopedEnvironment() { set(had_before_ ? before_.c_str() : nullptr); }
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

 private:
  void set(const char* value) {
    if (value == nullptr) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, value, 1);
    }
  }
  const char* name_;
  bool had_before_ = false;
  std::string before_;
};

inline void write_gzip(const std::filesystem::path& path,
                       const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  const unsigned size = static_cast<unsigned>(text.size());
  ASSERT_EQ(gzwrite(file, text.data(), size), static_cast<int>(size));
  ASSERT_EQ(gzclose(file), Z_OK);
}

/// Cuts a file down to its first `keep` bytes.
inline void truncate_file(const std::filesystem::path& path, size_t keep) {
  ASSERT_GT(std::filesystem::file_size(path), keep);
  std::filesystem::resize_file(path, keep);
}

constexpr const char* kEdgeFile = "out1_graph_edges.txt";
constexpr const char* kNodeFile = "out1_node_feature_label.txt";
constexpr const char* kSmallEdges =
    "node_id\tnode_id\n0\t1\n1\t2\n3\t0\n2\t2\n";
constexpr const char* kSmallNodes =
    "node_id\tfeature\tlabel\n"
    "0\t0,1,0,0,0,0,0,0\t0\n"
    "1\t0,0,0,0,0,0,0,1\t1\n"
    "2\t0,0,0,0,0,0,0,0\t1\n"
    "3\t1,0,0,0,0,1,0,0\t0\n";

/// Four nodes, four edges (one a loop), eight features, two classes.
inline void write_small_geom_gcn(const std::filesystem::path& folder,
                                 const std::string& nodes = kSmallNodes,
                                 const std::string& edges = kSmallEdges) {
  write_text(folder / kNodeFile, nodes);
  write_text(folder / kEdgeFile, edges);
}

struct Masks {
  at::Tensor train;
  at::Tensor val;
  at::Tensor test;
};

inline Masks small_masks() {
  return {torch::tensor({1, 0, 0, 0}, torch::kUInt8),
          torch::tensor({0, 1, 0, 0}, torch::kUInt8),
          torch::tensor({0, 0, 1, 0}, torch::kUInt8)};
}

inline void write_split(const std::filesystem::path& file, const Masks& masks) {
  core::NpzWriter archive(file);
  archive.add("train_mask", masks.train);
  archive.add("val_mask", masks.val);
  archive.add("test_mask", masks.test);
  archive.finish();
}

/// The small graph in memory, with one split that leaves node 3 out.
inline RawDataset small_dataset() {
  RawDataset raw;
  raw.name = "small";
  raw.num_nodes = 4;
  raw.edges = torch::tensor({{0, 1, 3, 2}, {1, 2, 0, 2}}, torch::kLong);
  raw.features = NodeFeatures::dense(torch::rand({4, 3}));
  raw.labels = ints({0, 1, 1, 0});
  raw.num_classes = 2;
  raw.splits = {{ints({0}), ints({1}), ints({2})}};
  raw.split_set = "file";
  return raw;
}

/// Weights that are not whole, denormal, large and zero come back bit for bit
/// when the small dataset is written and read again; returns what was read.
inline RawDataset expect_weights_come_back(
    const std::filesystem::path& path,
    const std::function<void(const std::filesystem::path&, const RawDataset&)>&
        write,
    const std::function<RawDataset(const std::filesystem::path&)>& load) {
  RawDataset raw = small_dataset();
  raw.edge_weights = torch::tensor({0.1F, 3e-39F, 1e30F, 0.F});
  write(path, raw);
  RawDataset back = load(path);
  EXPECT_TRUE(torch::equal(back.edge_weights, raw.edge_weights));
  EXPECT_EQ(content_fingerprint(back), content_fingerprint(raw));
  return back;
}

/// What is no dataset, and names that are no text, are refused with nothing
/// left in the folder.
inline void expect_nothing_left_of_invalid(
    const TempDir& folder,
    const std::function<void(const RawDataset&)>& write) {
  RawDataset raw = small_dataset();
  raw.labels[0] = 7;
  EXPECT_THROW(write(raw), Error);
  raw = small_dataset();
  raw.class_names = {"ok", "\xff\xfe"};
  EXPECT_TRUE(contains(error_of([&] { write(raw); }), "UTF-8"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

inline bool same_split(const Split& a, const Split& b) {
  return torch::equal(a.train, b.train) && torch::equal(a.val, b.val) &&
         torch::equal(a.test, b.test);
}

}  // namespace ordered_gnn::data
