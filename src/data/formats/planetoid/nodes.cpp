#include "data/formats/planetoid/nodes.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <unordered_set>

#include "core/io/pickle/arrays.h"
#include "core/io/text/text.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

core::CsrMatrix read_features(const fs::path& file) {
  const core::Pickle pickle = core::read_pickle(file);
  return core::csr_from_pickle(pickle.root());
}

at::Tensor read_one_hot(const fs::path& file) {
  const core::Pickle pickle = core::read_pickle(file);
  const at::Tensor rows = core::array_from_pickle(pickle.root());
  if (rows.dim() != 2 || rows.size(1) > kMaxClasses) {
    fail_in(file, fmt::format("expected one-hot labels of shape [rows, "
                              "classes] with at most {} classes",
                              kMaxClasses));
  }
  return rows.to(at::kFloat);
}

std::vector<int64_t> classes_of(const at::Tensor& one_hot,
                                const fs::path& file) {
  const int64_t num_classes = one_hot.size(1);
  std::vector<int64_t> classes(static_cast<size_t>(one_hot.size(0)), -1);
  for (size_t row = 0; row < classes.size(); ++row) {
    const float* const bits =
        one_hot.data_ptr<float>() + static_cast<int64_t>(row) * num_classes;
    for (int64_t c = 0; c < num_classes; ++c) {
      if (bits[c] == 0) continue;
      if (bits[c] != 1 || classes[row] >= 0) {
        fail_in(file, fmt::format("row {} is no one-hot label: expected zeros "
                                  "and at most one 1",
                                  row));
      }
      classes[row] = c;
    }
  }
  return classes;
}

// The first row in which the features of `a` differ from those of `b`.
int64_t first_difference(const core::CsrMatrix& a, const core::CsrMatrix& b) {
  const int64_t* const a_start = a.rows.rowptr.data_ptr<int64_t>();
  const int64_t* const b_start = b.rows.rowptr.data_ptr<int64_t>();
  const int32_t* const a_col = a.rows.col.data_ptr<int32_t>();
  const int32_t* const b_col = b.rows.col.data_ptr<int32_t>();
  const float* const a_value = a.rows.value.data_ptr<float>();
  const float* const b_value = b.rows.value.data_ptr<float>();
  for (int64_t row = 0; row < a.num_rows; ++row) {
    const int64_t begin = a_start[row];
    const int64_t end = a_start[row + 1];
    // All rows before are equal, so both begin at the same entry.
    if (end != b_start[row + 1] ||
        !std::equal(a_col + begin, a_col + end, b_col + begin) ||
        !std::equal(a_value + begin, a_value + end, b_value + begin)) {
      return row;
    }
  }
  return a.num_rows;
}

}  // namespace

PlanetoidPart read_planetoid_part(const PlanetoidFiles& files,
                                  const std::string& prefix) {
  PlanetoidPart part;
  part.feature_file = files.path(prefix + "x");
  part.label_file = files.path(prefix + "y");
  part.features = read_features(part.feature_file);
  const at::Tensor one_hot = read_one_hot(part.label_file);
  if (one_hot.size(0) != part.num_rows()) {
    fail_in(part.label_file,
            fmt::format("has {} rows but {} has {}; expected one label row for "
                        "each feature row",
                        one_hot.size(0), part.feature_file.filename().string(),
                        part.num_rows()));
  }
  part.num_classes = one_hot.size(1);
  part.labels = classes_of(one_hot, part.label_file);
  return part;
}

void check_same_width(const PlanetoidPart& part, const PlanetoidPart& all) {
  if (part.features.num_columns != all.features.num_columns) {
    fail_in(part.feature_file, fmt::format("has {} features but {} has {}",
                                           part.features.num_columns,
                                           all.feature_file.filename().string(),
                                           all.features.num_columns));
  }
  if (part.num_classes != all.num_classes) {
    fail_in(part.label_file,
            fmt::format("has {} classes but {} has {}", part.num_classes,
                        all.label_file.filename().string(), all.num_classes));
  }
}

void check_repeats(const PlanetoidPart& train, const PlanetoidPart& all) {
  const std::string feature_file = all.feature_file.filename().string();
  if (train.num_rows() > all.num_rows()) {
    fail_in(train.feature_file,
            fmt::format("has {} rows, more than the {} of {}", train.num_rows(),
                        all.num_rows(), feature_file));
  }
  const int64_t row = first_difference(train.features, all.features);
  if (row < train.num_rows()) {
    fail_in(train.feature_file,
            fmt::format("row {} differs from row {} of {}, which it should "
                        "repeat; are the files of one dataset?",
                        row, row, feature_file));
  }
  const auto [mine, other] = std::mismatch(
      train.labels.begin(), train.labels.end(), all.labels.begin());
  if (mine != train.labels.end()) {
    fail_in(train.label_file,
            fmt::format("row {} has class {} but class {} in {}, which it "
                        "should repeat",
                        mine - train.labels.begin(), *mine, *other,
                        all.label_file.filename().string()));
  }
}

std::vector<int64_t> read_test_index(const fs::path& file, int64_t first) {
  std::vector<int64_t> nodes;
  std::unordered_set<int64_t> seen;
  core::LineReader reader(file);
  std::string_view line;
  while (reader.next(line)) {
    if (line.empty()) continue;
    const int64_t node = core::parse_integer(line, "node id", reader.place());
    if (node < first) {
      fail_at(reader.place(),
              fmt::format("expected a node id of at least {}, the rows of "
                          "allx, got {}",
                          first, node));
    }
    if (!seen.insert(node).second) {
      fail_at(reader.place(),
              fmt::format("node {} was given in an earlier line", node));
    }
    nodes.push_back(node);
  }
  return nodes;
}

}  // namespace ordered_gnn::data
