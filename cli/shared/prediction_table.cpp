#include "shared/prediction_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "core/io/text/csv_blocks.h"
#include "core/names.h"
#include "ordered_gnn/core/error.h"
#include "shared/lists.h"

namespace ordered_gnn::cli {
namespace {

constexpr int kProbabilityDigits = 7;

const std::vector<std::string>& extra_names() {
  static const std::vector<std::string> names = {"known", "part", "confidence"};
  return names;
}

const char* title_of(ExtraColumn column) {
  return core::word_of(column, {{ExtraColumn::known, "known_label"},
                                {ExtraColumn::part, "part"},
                                {ExtraColumn::confidence, "confidence"}});
}

const char* text_of(NodePart part) {
  return core::word_of(part, {{NodePart::train, "train"},
                              {NodePart::val, "val"},
                              {NodePart::test, "test"},
                              {NodePart::none, "none"}});
}

// Makes lines, on several threads at a time.
class PredictionLines {
 public:
  PredictionLines(const PredictedNodes& nodes, const PredictionLayout& layout)
      : nodes_(nodes),
        layout_(layout),
        num_classes_(static_cast<int64_t>(nodes.classes.size())),
        probabilities_(nodes.probabilities.contiguous()),
        labels_(nodes.labels.contiguous()),
        known_(nodes.known.contiguous()) {}

  void write_header(core::CsvWriter& csv) const {
    csv.field("node");
    csv.field("label");
    if (layout_.top == 0) {
      for (const std::string& name : nodes_.classes) csv.field("prob_" + name);
    }
    for (int64_t k = 1; k <= layout_.top; ++k) {
      csv.field(fmt::format("class_{}", k));
      csv.field(fmt::format("prob_{}", k));
    }
    for (const ExtraColumn column : layout_.extra) csv.field(title_of(column));
    csv.end_line();
  }

  void write_rows(core::CsvWriter& csv, int64_t begin, int64_t end) {
    int64_t withheld = 0;
    for (int64_t i = begin; i < end; ++i) {
      withheld += write_row(csv, nodes_.rows[static_cast<size_t>(i)]) ? 0 : 1;
    }
    withheld_ += withheld;
  }

  int64_t withheld() const { return withheld_; }

 private:
  const std::string& class_name(int64_t c) const {
    return nodes_.classes[static_cast<size_t>(c)];
  }

  // False when the label was left empty.
  bool write_row(core::CsvWriter& csv, int64_t node) const {
    const float* const row =
        probabilities_.data_ptr<float>() + node * num_classes_;
    const int64_t label = labels_.data_ptr<int64_t>()[node];
    const float confidence = row[label];
    const bool is_sure = !(confidence < layout_.min_confidence);
    if (nodes_.node_names.empty()) {
      csv.field(node);
    } else {
      csv.field(nodes_.node_names[static_cast<size_t>(node)]);
    }
    csv.field(is_sure ? std::string_view(class_name(label))
                      : std::string_view());
    write_probabilities(csv, row);
    for (const ExtraColumn column : layout_.extra) {
      write_extra(csv, column, node, confidence);
    }
    csv.end_line();
    return is_sure;
  }

  void write_probabilities(core::CsvWriter& csv, const float* row) const {
    if (layout_.top == 0) {
      for (int64_t c = 0; c < num_classes_; ++c) write_probability(csv, row[c]);
      return;
    }
    for (const int64_t c : likeliest(row, num_classes_, layout_.top)) {
      csv.field(class_name(c));
      write_probability(csv, row[c]);
    }
  }

  static void write_probability(core::CsvWriter& csv, float value) {
    csv.field(static_cast<double>(value), kProbabilityDigits);
  }

  void write_extra(core::CsvWriter& csv, ExtraColumn column, int64_t node,
                   float confidence) const {
    switch (column) {
      case ExtraColumn::known: {
        const int64_t known = known_.data_ptr<int64_t>()[node];
        csv.field(known < 0 ? std::string_view()
                            : std::string_view(class_name(known)));
        return;
      }
      case ExtraColumn::part:
        csv.field(nodes_.parts.empty()
                      ? ""
                      : text_of(nodes_.parts[static_cast<size_t>(node)]));
        return;
      case ExtraColumn::confidence:
        write_probability(csv, confidence);
    }
  }

  const PredictedNodes& nodes_;
  const PredictionLayout& layout_;
  const int64_t num_classes_;
  const at::Tensor probabilities_, labels_, known_;
  std::atomic<int64_t> withheld_{0};
};

}  // namespace

std::vector<ExtraColumn> parse_extra_columns(const std::string& text) {
  std::vector<ExtraColumn> columns;
  for (const std::string& word : list_words("--columns", text)) {
    const auto column =
        core::parse_enum<ExtraColumn>("column", word, extra_names());
    if (std::count(columns.begin(), columns.end(), column) > 0) {
      throw UsageError(fmt::format("--columns names '{}' twice", word));
    }
    columns.push_back(column);
  }
  return columns;
}

const std::vector<std::string>& prediction_signatures() {
  static const std::vector<std::string> signatures = {
      "node,label,prob_", "node,label,\"prob_", "node,label,class_1,prob_1"};
  return signatures;
}

void require_classes(const PredictionLayout& layout, int64_t num_classes) {
  if (layout.top <= num_classes) return;
  throw UsageError(fmt::format("--top {}: the model has {} classes", layout.top,
                               num_classes));
}

std::vector<int64_t> likeliest(const float* row, int64_t num_classes,
                               int64_t count) {
  std::vector<int64_t> order(static_cast<size_t>(num_classes));
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto before = [row](int64_t a, int64_t b) {
    return row[a] != row[b] ? row[a] > row[b] : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + count, order.end(), before);
  order.resize(static_cast<size_t>(count));
  return order;
}

WrittenPredictions write_predictions(const std::filesystem::path& file,
                                     const PredictedNodes& nodes,
                                     const PredictionLayout& layout) {
  require_classes(layout, static_cast<int64_t>(nodes.classes.size()));
  PredictionLines lines(nodes, layout);
  core::AtomicFile out(file);
  std::string header;
  core::CsvWriter csv(header, layout.formulas);
  lines.write_header(csv);
  csv.finish();
  out.write(header);
  const int64_t guarded = core::write_csv_rows(
      out, layout.formulas, static_cast<int64_t>(nodes.rows.size()),
      [&lines](core::CsvWriter& rows, int64_t begin, int64_t end) {
        lines.write_rows(rows, begin, end);
      });
  out.commit();
  return {lines.withheld(), guarded + csv.num_guarded()};
}

std::string node_name(const PredictedNodes& nodes, int64_t node) {
  return nodes.node_names.empty() ? std::to_string(node)
                                  : nodes.node_names[static_cast<size_t>(node)];
}

}  // namespace ordered_gnn::cli
