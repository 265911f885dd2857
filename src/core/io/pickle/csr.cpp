#include "core/io/pickle/csr.h"

#include <ATen/Functions.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/io/pickle/arrays.h"
#include "core/io/pickle/constructors.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

PickleValue require_field(const PickleValue& fields, std::string_view name) {
  const std::optional<PickleValue> field = fields.find(name);
  if (!field) {
    fail_in(fields.place(), fmt::format("the csr_matrix has no '{}'", name));
  }
  return *field;
}

at::Tensor read_vector(const PickleValue& fields, std::string_view name) {
  const at::Tensor values = array_from_pickle(require_field(fields, name));
  if (values.dim() != 1) {
    fail_in(fields.place(), fmt::format("'{}' of the csr_matrix must have one "
                                        "dimension, it has {}",
                                        name, values.dim()));
  }
  return values;
}

at::Tensor read_indices(const PickleValue& fields, std::string_view name) {
  const at::Tensor values = read_vector(fields, name);
  if (!at::isIntegralType(values.scalar_type(), /*includeBool=*/false)) {
    fail_in(fields.place(),
            fmt::format("'{}' of the csr_matrix must hold "
                        "integers, it holds {}",
                        name, at::toString(values.scalar_type())));
  }
  return values.to(at::kLong);
}

// Row by row into sorted entries without repeats.
class RowBuilder {
 public:
  RowBuilder(int64_t num_columns, int64_t num_entries, std::string place)
      : num_columns_(num_columns), place_(std::move(place)) {
    col_.reserve(static_cast<size_t>(num_entries));
    value_.reserve(static_cast<size_t>(num_entries));
  }

  void add_row(int64_t row, const int64_t* col, const float* value,
               int64_t count) {
    bool rising = true;
    for (int64_t e = 0; e < count; ++e) {
      if (col[e] < 0 || col[e] >= num_columns_) {
        fail_in(place_, fmt::format("row {} of the csr_matrix has column {}; "
                                    "columns are 0 to {}",
                                    row, col[e], num_columns_ - 1));
      }
      rising = rising && (e == 0 || col[e - 1] < col[e]);
    }
    const size_t before = value_.size();
    if (rising) {
      col_.insert(col_.end(), col, col + count);
      value_.insert(value_.end(), value, value + count);
    } else {
      add_sorted(col, value, count);
    }
    check_finite(row, before);
  }

  int64_t size() const { return static_cast<int64_t>(col_.size()); }

  SparseRows finish(const at::Tensor& rowptr) const {
    SparseRows rows{rowptr, at::empty({size()}, at::kInt),
                    at::empty({size()}, at::kFloat)};
    std::copy(col_.begin(), col_.end(), rows.col.data_ptr<int32_t>());
    std::copy(value_.begin(), value_.end(), rows.value.data_ptr<float>());
    return rows;
  }

 private:
  void add_sorted(const int64_t* col, const float* value, int64_t count) {
    std::vector<std::pair<int64_t, float>> entries;
    for (int64_t e = 0; e < count; ++e) entries.emplace_back(col[e], value[e]);
    std::stable_sort(
        entries.begin(), entries.end(),
        [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t e = 0; e < entries.size(); ++e) {
      if (e > 0 && entries[e].first == entries[e - 1].first) {
        value_.back() += entries[e].second;
        continue;
      }
      col_.push_back(static_cast<int32_t>(entries[e].first));
      value_.push_back(entries[e].second);
    }
  }

  // After entries were added up, which may overflow.
  void check_finite(int64_t row, size_t first) const {
    for (size_t e = first; e < value_.size(); ++e) {
      if (!std::isfinite(value_[e])) {
        fail_in(place_, fmt::format("row {} of the csr_matrix has {} in column "
                                    "{}; expected a finite number",
                                    row, value_[e], col_[e]));
      }
    }
  }

  int64_t num_columns_;
  std::string place_;
  std::vector<int32_t> col_;
  std::vector<float> value_;
};

std::pair<int64_t, int64_t> read_shape(const PickleValue& fields) {
  const std::vector<int64_t> shape = require_field(fields, "_shape").integers();
  if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0 ||
      shape[1] > std::numeric_limits<int32_t>::max()) {
    fail_in(fields.place(),
            fmt::format("expected a csr_matrix of shape (rows, columns) with "
                        "less than 2^31 columns, got ({})",
                        fmt::join(shape, ", ")));
  }
  return {shape[0], shape[1]};
}

// Afterwards rows lie one after another within the entries.
void check_indptr(const at::Tensor& indptr, int64_t num_rows,
                  int64_t num_entries, const std::string& place) {
  const int64_t* const start = indptr.data_ptr<int64_t>();
  const int64_t size = indptr.size(0);
  if (size - 1 != num_rows || start[0] != 0 || start[num_rows] != num_entries) {
    fail_in(place, fmt::format("'indptr' of the csr_matrix must hold {} "
                               "numbers from 0 to {}; it holds {}",
                               num_rows + 1, num_entries, size));
  }
  for (int64_t row = 0; row < num_rows; ++row) {
    if (start[row] > start[row + 1]) {
      fail_in(place, fmt::format("row {} of the csr_matrix ends at entry {} "
                                 "before it begins at {}",
                                 row, start[row + 1], start[row]));
    }
  }
}

}  // namespace

CsrMatrix csr_from_pickle(const PickleValue& value) {
  if (!is_made_by(value, pickle_constructors::kCsrMatrix)) {
    fail_in(value.place(), fmt::format("expected a SciPy csr_matrix, found {}",
                                       describe_pickled(value)));
  }
  const PickleValue fields = value.state();
  const auto [num_rows, num_columns] = read_shape(fields);
  const at::Tensor indptr = read_indices(fields, "indptr");
  const at::Tensor indices = read_indices(fields, "indices");
  const at::Tensor data = read_vector(fields, "data").to(at::kFloat);
  const int64_t num_entries = indices.size(0);
  if (data.size(0) != num_entries) {
    fail_in(value.place(), fmt::format("the csr_matrix has {} column indices "
                                       "but {} values",
                                       num_entries, data.size(0)));
  }
  check_indptr(indptr, num_rows, num_entries, value.place());
  RowBuilder builder(num_columns, num_entries, value.place());
  const at::Tensor rowptr = at::zeros({num_rows + 1}, at::kLong);
  const int64_t* const start = indptr.data_ptr<int64_t>();
  for (int64_t row = 0; row < num_rows; ++row) {
    builder.add_row(row, indices.data_ptr<int64_t>() + start[row],
                    data.data_ptr<float>() + start[row],
                    start[row + 1] - start[row]);
    rowptr.data_ptr<int64_t>()[row + 1] = builder.size();
  }
  return {builder.finish(rowptr), num_rows, num_columns};
}

}  // namespace ordered_gnn::core
