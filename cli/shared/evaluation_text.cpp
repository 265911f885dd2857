#include "shared/evaluation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/table.h"

namespace ordered_gnn::cli {
namespace {

constexpr size_t kMostWidth = 100;  // of the text of a confusion matrix

std::string decimals(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-";
}

// Scores in the order they are best read; those of no name here come behind.
struct ScoreTitle {
  const char* key;
  const char* title;
};
constexpr ScoreTitle kScoreTitles[] = {
    {"accuracy", "accuracy"},
    {"balanced_accuracy", "balanced accuracy"},
    {"macro_f1", "macro F1"},
    {"roc_auc", "ROC-AUC"},
    {"average_precision", "average precision"},
};

bool is_loss(const std::string& key) {
  return key.find("loss") != std::string::npos;
}

std::vector<std::pair<std::string, std::string>> score_columns() {
  const Json scores = to_json(Scores{});
  std::vector<std::pair<std::string, std::string>> columns;
  for (const ScoreTitle& one : kScoreTitles) {
    if (scores.contains(one.key)) columns.emplace_back(one.key, one.title);
  }
  const size_t num_known = columns.size();
  for (const auto& [key, value] : scores.items()) {
    // The log loss has a column of its own.
    if (is_loss(key)) continue;
    const bool is_known = std::any_of(
        columns.begin(), columns.begin() + static_cast<int64_t>(num_known),
        [&key = key](const auto& column) { return column.first == key; });
    if (is_known) continue;
    std::string title = key;
    std::replace(title.begin(), title.end(), '_', ' ');
    columns.emplace_back(key, title);
  }
  return columns;
}

std::string class_table(const PartScores& part,
                        const std::vector<std::string>& classes) {
  Table table(
      {"class", "nodes", "predicted", "precision %", "recall %", "F1 %"});
  for (size_t c = 0; c < part.classes.size(); ++c) {
    const ClassScores& one = part.classes[c];
    table.add({classes[c], std::to_string(one.support),
               std::to_string(one.predicted), percent(one.precision),
               percent(one.recall), percent(one.f1)});
  }
  return table.text();
}

std::string confusion_table(const PartScores& part,
                            const std::vector<std::string>& classes) {
  std::vector<std::string> header = {"label"};
  header.insert(header.end(), classes.begin(), classes.end());
  Table table(header);
  for (size_t r = 0; r < classes.size(); ++r) {
    std::vector<std::string> row = {classes[r]};
    for (size_t c = 0; c < classes.size(); ++c) {
      row.push_back(std::to_string(part.confusion[r * classes.size() + c]));
    }
    table.add(std::move(row));
  }
  return table.text();
}

bool fits_the_screen(const std::string& text) {
  // The rule below the header is as wide as the table.
  const size_t begin = text.find('\n') + 1;
  return text.find('\n', begin) - begin <= kMostWidth;
}

std::string confusion_text(const EvaluatedPart& part,
                           const std::vector<std::string>& classes) {
  // A column takes at least three characters.
  const bool may_fit =
      !part.details.confusion.empty() && 3 * classes.size() <= kMostWidth;
  const std::string table =
      may_fit ? confusion_table(part.details, classes) : "";
  if (!may_fit || !fits_the_screen(table)) {
    return fmt::format(
        "\n{}: the confusion matrix of {} classes is too wide to print; --json "
        "has it\n",
        part.name, classes.size());
  }
  return fmt::format("\n{}: nodes by label (lines) and prediction (columns)\n",
                     part.name) +
         table;
}

std::string calibration_text(const EvaluatedPart& part) {
  const PartScores& details = part.details;
  std::string out = fmt::format(
      "\n{}: expected calibration error {}{}, log loss {}, Brier score {}\n",
      part.name, decimals(details.calibration_error),
      part.error_before ? fmt::format(" ({} before calibration)",
                                      decimals(*part.error_before))
                        : "",
      decimals(part.loss), decimals(part.brier));
  Table table({"confidence", "nodes", "mean", "accuracy %"});
  for (const CalibrationBin& bin : details.calibration) {
    if (bin.nodes == 0) continue;
    table.add({fmt::format("{:.2f} to {:.2f}", bin.low, bin.high),
               std::to_string(bin.nodes), decimals(bin.confidence),
               percent(bin.accuracy)});
  }
  return out + table.text();
}

}  // namespace

std::string scores_text(const std::vector<EvaluatedPart>& parts) {
  const auto columns = score_columns();
  std::vector<std::string> header = {"part", "nodes", "labelled"};
  for (const auto& [key, title] : columns) header.push_back(title + " %");
  header.emplace_back("log loss");
  Table table(header);
  for (const EvaluatedPart& part : parts) {
    const Json scores = to_json(part.scores);
    std::vector<std::string> row = {part.name,
                                    std::to_string(part.details.nodes),
                                    std::to_string(part.details.labelled)};
    for (const auto& [key, title] : columns) {
      row.push_back(scores.at(key).is_number()
                        ? percent(scores.at(key).get<double>())
                        : "-");
    }
    row.push_back(decimals(part.loss));
    table.add(std::move(row));
  }
  return table.text();
}

std::string details_text(const EvaluatedPart& part,
                         const std::vector<std::string>& classes) {
  return fmt::format("\n{}: every class\n", part.name) +
         class_table(part.details, classes) + confusion_text(part, classes) +
         calibration_text(part);
}

const EvaluatedPart* shown_part(const std::vector<EvaluatedPart>& parts) {
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->details.labelled > 0) return &*part;
  }
  return nullptr;
}

}  // namespace ordered_gnn::cli
