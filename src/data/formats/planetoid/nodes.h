#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/io/pickle/csr.h"
#include "data/formats/planetoid/files.h"

namespace ordered_gnn::data {

/// One of the three pairs of files: x and y, allx and ally, tx and ty.
struct PlanetoidPart {
  std::filesystem::path feature_file;
  std::filesystem::path label_file;
  core::CsrMatrix features;
  std::vector<int64_t> labels;  ///< class of each row, -1 for a row of zeros
  int64_t num_classes = 0;

  int64_t num_rows() const { return features.num_rows; }
};

/// Reads the pair that starts with `prefix`: "", "all" or "t".
/// @throws Error naming the file when the numbers of rows differ or a label row
///         is not zeros with at most one 1.
PlanetoidPart read_planetoid_part(const PlanetoidFiles& files,
                                  const std::string& prefix);

/// @throws Error naming the file when `part` has not as many features and
///         classes as `all`.
void check_same_width(const PlanetoidPart& part, const PlanetoidPart& all);

/// @throws Error naming the file and row unless `train` is the first rows of
///         `all`.
void check_repeats(const PlanetoidPart& train, const PlanetoidPart& all);

/// The nodes of test.index by line.
/// @throws Error at the line for something else than an id of at least
///         `first`, or an id that was there before.
std::vector<int64_t> read_test_index(const std::filesystem::path& file,
                                     int64_t first);

}  // namespace ordered_gnn::data
