#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/io/text/csv_writer.h"
#include "data/formats/atomic_folder.h"
#include "data/formats/csv/dataset.h"
#include "data/formats/csv/layout.h"
#include "data/formats/csv/meta.h"
#include "data/formats/csv/nodes.h"
#include "data/split_checks.h"
#include "data/tables/cells.h"
#include "data/tables/table.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

bool fits_a_field(const std::string& name) {
  constexpr std::string_view kBreaks("\n\r\0", 3);
  return !name.empty() && name.find_first_of(kBreaks) == std::string::npos;
}

// True when the reader would find these nodes, in this order, from their names
// as ids.
bool can_be_ids(const std::vector<std::string>& names) {
  const int64_t count = static_cast<int64_t>(names.size());
  std::unordered_set<std::string_view> seen;
  seen.reserve(names.size());
  bool all_below_count = true;
  for (const std::string& name : names) {
    if (!fits_a_field(name) || !seen.insert(name).second) return false;
    all_below_count =
        all_below_count && plain_number(name).value_or(count) < count;
  }
  return count > 0 && !all_below_count;
}

// True when the reader would take labels for names of these classes.
bool can_be_labels(const std::vector<std::string>& names) {
  std::unordered_set<std::string_view> seen;
  return !names.empty() &&
         std::all_of(names.begin(), names.end(), [&](const std::string& name) {
           return fits_a_field(name) && name.front() != '-' &&
                  !plain_number(name) && seen.insert(name).second;
         });
}

// Writes node ids in the form chosen for the whole folder.
class IdColumn {
 public:
  IdColumn(const RawDataset& raw, bool as_names)
      : names_(raw.node_names), as_names_(as_names) {}
  void write(core::CsvWriter& out, int64_t node) const {
    if (as_names_) {
      out.field(std::string_view(names_[node]));
    } else {
      out.field(node);
    }
  }

 private:
  const std::vector<std::string>& names_;
  bool as_names_;
};

void write_header(core::CsvWriter& out, std::string_view header) {
  for (size_t comma = 0; comma != std::string_view::npos;) {
    comma = header.find(',');
    out.field(header.substr(0, comma));
    if (comma != std::string_view::npos) header.remove_prefix(comma + 1);
  }
  out.end_line();
}

void write_edges(const fs::path& folder, const RawDataset& raw,
                 const IdColumn& ids) {
  core::CsvWriter out(folder / csv_layout::kEdges);
  const bool weighted = raw.edge_weights.defined();
  write_header(out, weighted ? csv_layout::kWeightedEdgeHeader
                             : csv_layout::kEdgeHeader);
  const at::Tensor edges = raw.edges.contiguous();
  const at::Tensor weights =
      weighted ? raw.edge_weights.contiguous() : at::Tensor();
  const float* const weight = weighted ? weights.data_ptr<float>() : nullptr;
  const int64_t count = edges.size(1);
  const int64_t* const from = edges.data_ptr<int64_t>();
  for (int64_t e = 0; e < count; ++e) {
    ids.write(out, from[e]);
    ids.write(out, from[count + e]);
    if (weighted) out.field(weight[e]);
    out.end_line();
  }
  out.finish();
}

void write_labels(const fs::path& folder, const RawDataset& raw,
                  const IdColumn& ids) {
  core::CsvWriter out(folder / csv_layout::kLabels);
  write_header(out, csv_layout::kLabelHeader);
  const bool names = can_be_labels(raw.class_names);
  const at::Tensor labels = raw.labels.contiguous();
  const int64_t* const label = labels.data_ptr<int64_t>();
  for (int64_t v = 0; v < raw.num_nodes; ++v) {
    ids.write(out, v);
    if (label[v] < 0) {
      out.field(std::string_view());
    } else if (names) {
      out.field(std::string_view(raw.class_names[label[v]]));
    } else {
      out.field(label[v]);
    }
    out.end_line();
  }
  out.finish();
}

void write_dense(const fs::path& folder, const RawDataset& raw,
                 const IdColumn& ids) {
  core::CsvWriter out(folder / csv_layout::kFeatures);
  const int64_t width = raw.features.num_features();
  out.field(std::string_view("node"));
  for (int64_t f = 0; f < width; ++f) {
    const std::string name = raw.feature_names.empty()
                                 ? fmt::format("f{}", f)
                                 : raw.feature_names[static_cast<size_t>(f)];
    out.field(std::string_view(name));
  }
  out.end_line();
  const float* value = raw.features.dense_values().data_ptr<float>();
  for (int64_t v = 0; v < raw.num_nodes; ++v) {
    ids.write(out, v);
    for (int64_t f = 0; f < width; ++f) out.field(*value++);
    out.end_line();
  }
  out.finish();
}

bool is_missing(const TableColumn& column, size_t row) {
  if (column.has_words()) return column.codes[row] < 0;
  return !holds_numbers(column.kind) || std::isnan(column.numbers[row]);
}

void write_cell(core::CsvWriter& out, const TableColumn& column, size_t row) {
  if (is_missing(column, row)) {
    out.field("");
  } else if (column.has_words()) {
    out.field(column.values[static_cast<size_t>(column.codes[row])]);
  } else if (column.kind == ColumnKind::date) {
    out.field(timestamp_text(column.numbers[row]));
  } else {
    out.field(column.numbers[row]);
  }
}

// The table in its own units; dataset.json says how it becomes features.
void write_table(const fs::path& folder, const RawDataset& raw,
                 const IdColumn& ids) {
  core::CsvWriter out(folder / csv_layout::kFeatures);
  out.field(std::string_view("node"));
  for (const TableColumn& column : raw.table->columns) {
    out.field(std::string_view(column.name));
  }
  out.end_line();
  for (int64_t v = 0; v < raw.num_nodes; ++v) {
    ids.write(out, v);
    for (const TableColumn& column : raw.table->columns) {
      write_cell(out, column, static_cast<size_t>(v));
    }
    out.end_line();
  }
  out.finish();
}

void write_sparse(const fs::path& folder, const RawDataset& raw,
                  const IdColumn& ids) {
  core::CsvWriter out(folder / csv_layout::kSparse);
  write_header(out, csv_layout::kSparseHeader);
  const SparseRows& rows = raw.features.rows();
  const int64_t* const rowptr = rows.rowptr.data_ptr<int64_t>();
  const int32_t* const col = rows.col.data_ptr<int32_t>();
  const float* const value = rows.value.data_ptr<float>();
  for (int64_t v = 0; v < raw.num_nodes; ++v) {
    for (int64_t e = rowptr[v]; e < rowptr[v + 1]; ++e) {
      ids.write(out, v);
      out.field(int64_t{col[e]});
      out.field(value[e]);
      out.end_line();
    }
  }
  out.finish();
}

void write_features(const fs::path& folder, const RawDataset& raw,
                    const IdColumn& ids) {
  if (raw.table) return write_table(folder, raw, ids);
  switch (raw.features.kind()) {
    case NodeFeatures::Kind::dense:
      return write_dense(folder, raw, ids);
    case NodeFeatures::Kind::sparse:
      return write_sparse(folder, raw, ids);
    case NodeFeatures::Kind::identity:
      return;  // dataset.json says so
  }
}

// One byte for every node and split: 0 = in no part, p + 1 = in part p.
std::vector<uint8_t> part_table(const RawDataset& raw) {
  const size_t num_splits = raw.splits.size();
  std::vector<uint8_t> table(num_splits * static_cast<size_t>(raw.num_nodes));
  for (size_t k = 0; k < num_splits; ++k) {
    uint8_t mark = 0;
    for (const SplitPart& part : parts_of(raw.splits[k])) {
      ++mark;
      const at::Tensor nodes = part.nodes->contiguous();
      const int64_t* const node = nodes.data_ptr<int64_t>();
      for (int64_t i = 0; i < nodes.size(0); ++i) {
        table[static_cast<size_t>(node[i]) * num_splits + k] = mark;
      }
    }
  }
  return table;
}

void write_masks(const fs::path& folder, const RawDataset& raw,
                 const IdColumn& ids) {
  constexpr std::string_view kParts[] = {"", "train", "val", "test"};
  core::CsvWriter out(folder / csv_layout::kMasks);
  out.field(std::string_view("node"));
  for (size_t k = 0; k < raw.splits.size(); ++k) {
    out.field(std::string_view(fmt::format("split_{}", k)));
  }
  out.end_line();
  const std::vector<uint8_t> table = part_table(raw);
  const uint8_t* part = table.data();
  for (int64_t v = 0; v < raw.num_nodes; ++v) {
    ids.write(out, v);
    for (size_t k = 0; k < raw.splits.size(); ++k) out.field(kParts[*part++]);
    out.end_line();
  }
  out.finish();
}

bool is_file_of_ours(std::string name) {
  if (fs::path(name).extension() == ".gz") name.resize(name.size() - 3);
  const auto all = {csv_layout::kEdges,    csv_layout::kLabels,
                    csv_layout::kFeatures, csv_layout::kSparse,
                    csv_layout::kMasks,    csv_layout::kMeta};
  return std::find(all.begin(), all.end(), name) != all.end();
}

}  // namespace

void require_csv_target(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) return;
  if (!fs::is_directory(folder, ignored)) {
    fail_in(folder, "exists and is not a folder; choose another name");
  }
  if (fs::is_empty(folder, ignored)) return;
  if (!is_our_csv_meta(folder / csv_layout::kMeta)) {
    fail_in(folder,
            "exists and was not written by this program, nothing in it was "
            "touched; choose another name");
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!is_file_of_ours(name)) {
      fail_in(folder, fmt::format("holds '{}', which this program did not "
                                  "write, nothing in it was touched; choose "
                                  "another name",
                                  name));
    }
  }
}

void write_csv_dataset(const fs::path& folder, const RawDataset& raw) {
  validate(raw);
  require_csv_target(folder);
  const bool ids_are_names = can_be_ids(raw.node_names);
  const bool names_in_meta = !raw.node_names.empty() && !ids_are_names;
  const std::string meta = csv_meta_text(raw, names_in_meta);
  const IdColumn ids(raw, ids_are_names);
  AtomicFolder target(folder);
  write_edges(target.path(), raw, ids);
  write_labels(target.path(), raw, ids);
  write_features(target.path(), raw, ids);
  if (!raw.splits.empty()) write_masks(target.path(), raw, ids);
  core::write_file(target.path() / csv_layout::kMeta, meta);
  target.commit();
}

}  // namespace ordered_gnn::data
