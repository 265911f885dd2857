#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <deque>

#include "core/io/tensor_memory.h"
#include "data/tables/column_features.h"
#include "data/tables/treatment.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::data {
namespace {

const TableColumn* find_column(const Table& table, const std::string& name) {
  for (const TableColumn& column : table.columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

// Names on one side only; texts are no features and do not count.
void check_columns(const Table& table, const std::vector<Column>& columns,
                   MissingColumns policy, std::vector<std::string>& notes) {
  std::vector<std::string> missing;
  std::vector<std::string> extra;
  for (const Column& column : columns) {
    if (column.num_features > 0 && find_column(table, column.name) == nullptr) {
      missing.push_back(column.name);
    }
  }
  for (const TableColumn& column : table.columns) {
    const bool known = std::any_of(
        columns.begin(), columns.end(),
        [&](const Column& other) { return other.name == column.name; });
    if (!known && column.kind != ColumnKind::text) {
      extra.push_back(column.name);
    }
  }
  if (missing.empty() && extra.empty()) return;
  std::string text;
  if (!missing.empty()) {
    text += fmt::format(
        "columns that the model was trained on are missing: "
        "'{}'",
        fmt::join(missing, "', '"));
  }
  if (!extra.empty()) {
    text += fmt::format("{}columns are here that it does not know: '{}'",
                        text.empty() ? "" : "; ", fmt::join(extra, "', '"));
  }
  if (policy == MissingColumns::error) {
    fail(
        "{}; rename or add them, or let --missing-columns fill take missing "
        "ones as without values and leave the others out",
        text);
  }
  notes.push_back(text + "; filled and left out");
}

// All features, a block of rows after the other: column by column every value
// would be a line of memory by itself.
at::Tensor written(const std::deque<ColumnFeatures>& makers, int64_t num_rows,
                   int64_t width) {
  constexpr int64_t kBlockFloats = int64_t{1} << 14;
  at::Tensor out = core::allocate_tensor({num_rows, width}, at::kFloat,
                                         "features of the table");
  float* const features = out.data_ptr<float>();
  std::atomic<bool> in_range = true;
  parallel_ranges(num_rows, std::max<int64_t>(1, kBlockFloats / width),
                  [&](int64_t begin, int64_t end) {
                    std::fill(features + begin * width, features + end * width,
                              0.0F);
                    for (const ColumnFeatures& maker : makers) {
                      if (!maker.write(begin, end, features, width)) {
                        in_range = false;
                      }
                    }
                  });
  if (in_range) return out;
  for (const ColumnFeatures& maker : makers) maker.check_range();
  return out;
}

}  // namespace

at::Tensor apply_columns(const Table& table, const std::vector<Column>& columns,
                         MissingColumns policy,
                         std::vector<std::string>& notes) {
  check_columns(table, columns, policy, notes);
  const int64_t width = columns.empty() ? 0
                                        : columns.back().first_feature +
                                              columns.back().num_features;
  if (width == 0) {
    fail(
        "no column of the table makes a feature; --column NAME=KIND says what "
        "a column is");
  }
  std::deque<ColumnFeatures> makers;
  for (const Column& column : columns) {
    if (column.num_features == 0) continue;
    makers.emplace_back(column, find_column(table, column.name), table.num_rows,
                        notes);
  }
  return written(makers, table.num_rows, width);
}

}  // namespace ordered_gnn::data
