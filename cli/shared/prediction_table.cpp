#include "shared/prediction_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

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

// Writes one file, line by line.
class Output {
 public:
  Output(const std::filesystem::path& file, const PredictedNodes& nodes,
         const PredictionLayout& layout)
      : nodes_(nodes),
        layout_(layout),
        num_classes_(static_cast<int64_t>(nodes.classes.size())),
        probabilities_(nodes.probabilities.contiguous()),
        labels_(nodes.labels.contiguous()),
        known_(nodes.known.contiguous()),
        csv_(file, layout.formulas) {}

  WrittenPredictions run() {
    write_header();
    for (const int64_t node : nodes_.rows) write_row(node);
    csv_.finish();
    return {withheld_, csv_.num_guarded()};
  }

 private:
  const std::string& class_name(int64_t c) const {
    return nodes_.classes[static_cast<size_t>(c)];
  }

  void write_header() {
    csv_.field("node");
    csv_.field("label");
    if (layout_.top == 0) {
      for (const std::string& name : nodes_.classes) csv_.field("prob_" + name);
    }
    for (int64_t k = 1; k <= layout_.top; ++k) {
      csv_.field(fmt::format("class_{}", k));
      csv_.field(fmt::format("prob_{}", k));
    }
    for (const ExtraColumn column : layout_.extra) {
      csv_.field(title_of(column));
    }
    csv_.end_line();
  }

  void write_row(int64_t node) {
    const float* const row =
        probabilities_.data_ptr<float>() + node * num_classes_;
    const int64_t label = labels_.data_ptr<int64_t>()[node];
    const float confidence = row[label];
    const bool is_sure = !(confidence < layout_.min_confidence);
    withheld_ += !is_sure;
    if (nodes_.node_names.empty()) {
      csv_.field(node);
    } else {
      csv_.field(nodes_.node_names[static_cast<size_t>(node)]);
    }
    csv_.field(is_sure ? std::string_view(class_name(label))
                       : std::string_view());
    write_probabilities(row);
    for (const ExtraColumn column : layout_.extra) {
      write_extra(column, node, confidence);
    }
    csv_.end_line();
  }

  void write_probabilities(const float* row) {
    if (layout_.top == 0) {
      for (int64_t c = 0; c < num_classes_; ++c) write_probability(row[c]);
      return;
    }
    for (const int64_t c : likeliest(row, num_classes_, layout_.top)) {
      csv_.field(class_name(c));
      write_probability(row[c]);
    }
  }

  void write_probability(float value) {
    csv_.field(static_cast<double>(value), kProbabilityDigits);
  }

  void write_extra(ExtraColumn column, int64_t node, float confidence) {
    switch (column) {
      case ExtraColumn::known: {
        const int64_t known = known_.data_ptr<int64_t>()[node];
        csv_.field(known < 0 ? std::string_view()
                             : std::string_view(class_name(known)));
        return;
      }
      case ExtraColumn::part:
        csv_.field(nodes_.parts.empty()
                       ? ""
                       : text_of(nodes_.parts[static_cast<size_t>(node)]));
        return;
      case ExtraColumn::confidence:
        write_probability(confidence);
    }
  }

  const PredictedNodes& nodes_;
  const PredictionLayout& layout_;
  const int64_t num_classes_;
  const at::Tensor probabilities_, labels_, known_;
  core::CsvWriter csv_;
  int64_t withheld_ = 0;
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
  return Output(file, nodes, layout).run();
}

std::string node_name(const PredictedNodes& nodes, int64_t node) {
  return nodes.node_names.empty() ? std::to_string(node)
                                  : nodes.node_names[static_cast<size_t>(node)];
}

}  // namespace ordered_gnn::cli
