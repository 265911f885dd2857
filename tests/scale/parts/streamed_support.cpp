#include "scale/parts/streamed_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "data/load_dataset.h"
#include "ordered_gnn/core/random.h"
#include "scale/parts/streamed.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kNodes = 300;

void gzip(const fs::path& file) {
  ASSERT_EQ(std::system(("gzip -nf '" + file.string() + "'").c_str()), 0);
}

// Lines of edges with loops and repeats among them.
std::string edge_lines(RandomStream& random, int64_t count) {
  std::string text;
  for (int64_t e = 0; e < count; ++e) {
    const uint64_t from = random.below(kNodes);
    const uint64_t to = e % 9 == 0 ? from : random.below(kNodes);
    const std::string line =
        std::to_string(from) + "," + std::to_string(to) + "\n";
    text += line;
    if (e % 7 == 0) text += line;
  }
  return text;
}

std::string row_text(RandomStream& random, double shift) {
  std::string text;
  for (int f = 0; f < 5; ++f) {
    text += (f > 0 ? "," : "") + std::to_string(random.uniform() + shift);
  }
  return text;
}

}  // namespace

fs::path write_ogb(const fs::path& folder, double shift, bool packed) {
  RandomStream random(11);
  const std::string edges = edge_lines(random, 2000);
  std::string features, labels, train, valid, test;
  for (int64_t v = 0; v < kNodes; ++v) {
    features += row_text(random, shift) + "\n";
    labels += v % 10 == 3 ? "nan\n" : std::to_string(v % 4) + ".0\n";
    (v % 5 == 0   ? valid
     : v % 5 == 1 ? test
                  : train) += std::to_string(v) + "\n";
  }
  const auto count = std::count(edges.begin(), edges.end(), '\n');
  write_text(folder / "raw/num-node-list.csv", std::to_string(kNodes) + "\n");
  write_text(folder / "raw/num-edge-list.csv", std::to_string(count) + "\n");
  write_text(folder / "raw/edge.csv", edges);
  write_text(folder / "raw/node-feat.csv", features);
  write_text(folder / "raw/node-label.csv", labels);
  write_text(folder / "split/time/train.csv", train);
  write_text(folder / "split/time/valid.csv", valid);
  write_text(folder / "split/time/test.csv", test);
  if (packed) {
    for (const char* file : {"edge", "node-feat", "node-label"}) {
      gzip(folder / "raw" / (std::string(file) + ".csv"));
    }
  }
  return folder;
}

fs::path write_csv(const fs::path& folder, const CsvForm& form) {
  RandomStream random(5);
  const auto id = [&](int64_t v) { return form.prefix + std::to_string(v); };
  std::string edges =
      form.weights ? "source,target,weight\n" : "source,target\n";
  for (int64_t e = 0; e < 1500; ++e) {
    const auto from = static_cast<int64_t>(random.below(kNodes));
    const auto to =
        e % 8 == 0 ? from : static_cast<int64_t>(random.below(kNodes));
    const std::string line =
        id(from) + "," + id(to) + (form.weights ? ",0.5" : "") + "\n";
    edges += line;
    if (e % 5 == 0) edges += line;
  }
  std::string features = "node,a,b,c,d,e\n", labels = "node,label\n";
  std::string masks = "node,split_0,split_1\n";
  for (int64_t i = 0; i < kNodes; ++i) {
    features += id(i * form.step % kNodes) + "," + row_text(random, 0) + "\n";
    labels += id(i) + "," + (i % 6 == 0 ? "" : std::to_string(i % 3)) + "\n";
    masks += id(i) + (i % 2 == 0 ? ",train," : ",val,test") + "\n";
  }
  write_text(folder / "dataset.json", form.json);
  write_text(folder / "edges.csv", edges);
  write_text(folder / "features.csv", features);
  if (form.labels) write_text(folder / "labels.csv", labels);
  if (form.masks) write_text(folder / "masks.csv", masks);
  if (form.packed) {
    gzip(folder / "edges.csv");
    gzip(folder / "features.csv");
  }
  return folder;
}

StreamedCut cut_into(const fs::path& folder, const DataOptions& options,
                     int64_t parts) {
  StreamedCut cut;
  cut.parts = parts;
  cut.ranks = parts;
  cut.treatment = options.treatment;
  cut.folder = folder;
  cut.replace = true;
  cut.buffer = int64_t{700} * 32;  // several buckets and walks
  return cut;
}

void stream(DataOptions options, const fs::path& out, int64_t parts) {
  std::string why_not;
  const auto source = data::open_training_dataset(options, why_not);
  ASSERT_NE(source, nullptr) << why_not;
  write_streamed(*source, cut_into(out, options, parts));
}

DataOptions of_path(const fs::path& path) {
  DataOptions options;
  options.data = path.string();
  return options;
}

}  // namespace ordered_gnn::scale
