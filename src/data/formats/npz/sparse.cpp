#include "data/formats/npz/sparse.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <string>
#include <utility>

#include "data/formats/edge_list.h"
#include "data/formats/feature_rows.h"
#include "data/formats/npz/arrays.h"
#include "data/formats/npz/sparse_row_sort.h"
#include "data/formats/npz/sparse_splits.h"
#include "data/paths.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

// The index arrays of a CSR matrix, checked against each other.
struct Csr {
  int64_t num_rows = 0;
  int64_t num_columns = 0;
  at::Tensor rowptr;  // [rows + 1] int64
  at::Tensor col;     // [entries] int64, in [0, columns)
  at::Tensor value;   // [entries] float32
};

void check_rowptr(const Csr& matrix, const std::string& name,
                  const fs::path& file) {
  const int64_t entries = matrix.col.size(0);
  if (matrix.rowptr.size(0) - 1 != matrix.num_rows) {
    fail_in(file,
            fmt::format("{}_indptr: got {} numbers for the {} rows of "
                        "{}_shape; expected one more than rows",
                        name, matrix.rowptr.size(0), matrix.num_rows, name));
  }
  const int64_t* const rowptr = matrix.rowptr.data_ptr<int64_t>();
  const bool spans = rowptr[0] == 0 && rowptr[matrix.num_rows] == entries;
  if (!spans || !std::is_sorted(rowptr, rowptr + matrix.num_rows + 1)) {
    fail_in(file, fmt::format("{}_indptr: expected numbers that rise from 0 to "
                              "the {} entries of {}_indices",
                              name, entries, name));
  }
}

void check_columns(const Csr& matrix, const std::string& name,
                   const fs::path& file) {
  const int64_t* const col = matrix.col.data_ptr<int64_t>();
  for (int64_t e = 0; e < matrix.col.size(0); ++e) {
    if (col[e] < 0 || col[e] >= matrix.num_columns) {
      fail_in(file, fmt::format("{}_indices: entry {} is {}; expected a column "
                                "in [0, {})",
                                name, e, col[e], matrix.num_columns));
    }
  }
}

Csr read_csr(const core::NpzReader& archive, const std::string& name) {
  Csr matrix;
  matrix.num_rows = read_count(archive, name + "_shape", 0);
  matrix.num_columns = read_count(archive, name + "_shape", 1);
  matrix.rowptr = read_integer_list(archive, name + "_indptr");
  matrix.col = read_integer_list(archive, name + "_indices");
  matrix.value = read_floats(archive, name + "_data").contiguous();
  if (matrix.value.dim() != 1 || matrix.value.sizes() != matrix.col.sizes()) {
    fail_in(
        archive.path(),
        fmt::format("{}_data: expected shape {} as {}_indices has, got {}",
                    name, shape_of(matrix.col), name, shape_of(matrix.value)));
  }
  check_rowptr(matrix, name, archive.path());
  check_columns(matrix, name, archive.path());
  return matrix;
}

void read_edges(const core::NpzReader& archive, RawDataset& raw) {
  const Csr adjacency = read_csr(archive, "adj");
  if (adjacency.num_rows != raw.num_nodes ||
      adjacency.num_columns != raw.num_nodes) {
    fail_in(archive.path(),
            fmt::format("adj_shape: expected {} x {} for {} labels, got {} x "
                        "{}",
                        raw.num_nodes, raw.num_nodes, raw.num_nodes,
                        adjacency.num_rows, adjacency.num_columns));
  }
  const int64_t* const rowptr = adjacency.rowptr.data_ptr<int64_t>();
  const int64_t* const col = adjacency.col.data_ptr<int64_t>();
  const float* const value = adjacency.value.data_ptr<float>();
  EdgeList edges(archive.path().string());
  int64_t others = 0;  // than 0 and 1
  for (int64_t u = 0; u < raw.num_nodes; ++u) {
    for (int64_t e = rowptr[u]; e < rowptr[u + 1]; ++e) {
      if (value[e] == 0) continue;
      edges.add(u, col[e]);
      others += value[e] != 1;
    }
  }
  raw.edges = edges.tensor();
  const int64_t zeros = adjacency.col.size(0) - edges.size();
  if (zeros > 0) {
    raw.provenance.notes.push_back(fmt::format(
        "{} adjacency entries are stored zeros and are no edges", zeros));
  }
  if (others > 0) {
    raw.provenance.notes.push_back(
        fmt::format("{} adjacency entries are not 1; their values are not read "
                    "as edge weights, every edge counts the same",
                    others));
  }
}

void read_sparse_features(const core::NpzReader& archive, RawDataset& raw) {
  const Csr matrix = read_csr(archive, "attr");
  if (matrix.num_columns > kMaxFeatures) {
    fail_in(archive.path(),
            fmt::format("attr_shape: expected at most {} columns, got {}",
                        kMaxFeatures, matrix.num_columns));
  }
  SparseRows rows{matrix.rowptr, matrix.col.to(at::kInt), matrix.value};
  const int64_t repeats = sort_sparse_rows(rows);
  if (repeats > 0) {
    raw.provenance.notes.push_back(fmt::format(
        "{} attribute entries repeat a place and are added up", repeats));
  }
  raw.features = in_file(archive.path(), [&] {
    return NodeFeatures::sparse(std::move(rows), matrix.num_columns);
  });
}

void read_features(const core::NpzReader& archive, RawDataset& raw) {
  if (archive.contains("attr_indptr")) {
    read_sparse_features(archive, raw);
  } else if (archive.contains("attr_matrix")) {
    const at::Tensor values = read_floats(archive, "attr_matrix");
    if (values.dim() != 2) {
      fail_in(archive.path(),
              fmt::format("attr_matrix: expected shape [N, F], got {}",
                          shape_of(values)));
    }
    raw.features =
        in_file(archive.path(), [&] { return features_from_dense(values); });
  } else {
    raw.features = in_file(
        archive.path(), [&] { return NodeFeatures::identity(raw.num_nodes); });
    raw.provenance.notes.emplace_back(
        "there are no attributes; node ids are the features");
  }
}

}  // namespace

bool is_sparse_npz(const fs::path& file) {
  return is_npz_with(file, {"adj_indptr", "labels"});
}

RawDataset load_sparse_npz(const fs::path& file, const LoadOptions& options) {
  const core::NpzReader archive(file);
  RawDataset raw;
  raw.name = options.name.empty() ? name_from_path(file) : options.name;
  raw.provenance.format = "sparse-npz";
  raw.provenance.files = {file.string()};
  raw.labels = read_integer_list(archive, "labels");
  raw.num_nodes = raw.labels.size(0);
  if (raw.num_nodes > 0) {
    const int64_t largest = raw.labels.max().item<int64_t>();
    raw.num_classes = std::min(largest, kMaxClasses) + 1;  // cannot overflow
  }
  read_edges(archive, raw);
  read_features(archive, raw);
  attach_polynormer_split(file, options, raw);
  in_file(file, [&] { validate(raw); });
  return raw;
}

}  // namespace ordered_gnn::data
