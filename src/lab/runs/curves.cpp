#include "lab/runs/curves.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "core/io/file.h"
#include "core/io/folder.h"
#include "core/io/json_numbers.h"
#include "core/io/json_reader.h"
#include "core/io/text/csv_writer.h"
#include "core/io/text/text.h"
#include "lab/runs/run_files.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {
namespace {

constexpr std::array<const char*, 8> kCurveColumns = {
    "epoch",        "loss",          "lr",           "train_accuracy",
    "val_accuracy", "test_accuracy", "val_macro_f1", "best_epoch"};

// One line of metrics; nothing when it is broken.
std::optional<Json> metrics_entry(std::string_view line) {
  std::optional<Json> entry = core::parse_json_or_nothing(line);
  if (!entry || !entry->is_object()) return std::nullopt;
  for (const char* column : kCurveColumns) {
    const auto value = entry->find(column);
    if (value == entry->end()) return std::nullopt;
    if (!value->is_number() && !value->is_null()) return std::nullopt;
  }
  if (!core::is_whole_number((*entry)["epoch"])) return std::nullopt;
  return entry;
}

std::string curves_of(const std::filesystem::path& metrics,
                      std::vector<std::string>& broken) {
  std::string text;
  core::CsvWriter csv(text);
  for (const char* column : kCurveColumns) csv.field(column);
  csv.end_line();
  for (const Json& entry : read_metrics(metrics, &broken)) {
    for (const char* column : kCurveColumns) {
      const Json& value = entry.at(column);
      // JSON has no NaN, it is written as null.
      csv.field(value.is_null() ? "" : value.dump());
    }
    csv.end_line();
  }
  csv.finish();
  return text;
}

std::vector<std::filesystem::path> splits_with_metrics(
    const std::filesystem::path& run_folder) {
  std::vector<std::filesystem::path> splits;
  for (const std::filesystem::path& entry : core::entries_of(run_folder)) {
    std::error_code ignored;
    if (is_split_folder(entry) &&
        std::filesystem::exists(entry / "metrics.jsonl", ignored)) {
      splits.push_back(entry);
    }
  }
  return splits;
}

}  // namespace

std::vector<Json> read_metrics(const std::filesystem::path& metrics,
                               std::vector<std::string>* broken) {
  std::vector<Json> entries;
  std::string content = core::read_file(metrics);
  if (!content.empty() && content.back() == '\n') content.pop_back();
  if (content.empty()) return entries;
  int64_t number = 0;
  std::vector<std::string> complaints;
  // Not LineReader: a power cut can leave zero bytes at the end, which it
  // refuses.
  core::FieldCursor lines(content, '\n');
  bool is_last_broken = false;
  for (std::string_view line; lines.next(line);) {
    ++number;
    std::optional<Json> entry = metrics_entry(line);
    is_last_broken = !entry;
    if (entry) {
      entries.push_back(std::move(*entry));
    } else {
      complaints.push_back(fmt::format(
          "{}:{}: expected a JSON object with numbers for {}", metrics.string(),
          number, fmt::join(kCurveColumns, ", ")));
    }
  }
  if (is_last_broken) complaints.pop_back();
  if (broken != nullptr) {
    broken->insert(broken->end(), complaints.begin(), complaints.end());
  }
  return entries;
}

std::vector<std::string> write_curves(const std::filesystem::path& run_folder) {
  const std::vector<std::filesystem::path> splits =
      splits_with_metrics(run_folder);
  if (splits.empty()) {
    fail_in(run_folder,
            "has no split-K/metrics.jsonl; give the --out folder of a run");
  }
  std::vector<std::string> broken;
  for (const std::filesystem::path& split : splits) {
    core::write_file(split / "curves.csv",
                     curves_of(split / "metrics.jsonl", broken));
  }
  return broken;
}

}  // namespace ordered_gnn::lab
