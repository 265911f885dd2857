#include "lab/page/run_page.h"

#include <fmt/format.h>

#include "core/io/json_numbers.h"
#include "core/io/json_reader.h"
#include "core/names.h"
#include "lab/page/run_pages.h"
#include "lab/reproduce/reproduction.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/train/run_options.h"
#include "ordered_gnn/version.h"

namespace ordered_gnn::lab {
namespace {

bool holds(const std::filesystem::path& folder, const std::string& name) {
  std::error_code ignored;
  return std::filesystem::exists(folder / name, ignored);
}

// What the options would be if nobody had said anything but the model.
Json defaults_beside(const Json& options) {
  const Json model = options.value("model", Json());
  try {
    if (model.is_string()) return to_json(default_options(model));
  } catch (const Error&) {
    // A file of a version that knew other models.
  }
  return to_json(RunOptions{});
}

}  // namespace

std::string to_string(RunKind kind) {
  return core::word_of(kind, {{RunKind::train, "train"},
                              {RunKind::sweep, "sweep"},
                              {RunKind::comparison, "compare"},
                              {RunKind::reproduction, "reproduce"}});
}

RunKind run_kind(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    fail_in(folder, "there is no such folder");
  }
  if (holds(folder, "compare.json")) return RunKind::comparison;
  if (holds(folder, "sweep.json")) return RunKind::sweep;
  if (holds(folder, "summary.json")) return RunKind::train;
  for (const std::string& name : experiment_names()) {
    if (holds(folder / name, "results.json")) return RunKind::reproduction;
  }
  fail_in(folder,
          "is no folder of results: it has none of summary.json (of 'ognn "
          "train', when a split is done), sweep.json, compare.json and "
          "EXPERIMENT/results.json (of 'ognn reproduce')");
}

Page run_page(const std::filesystem::path& folder) {
  switch (run_kind(folder)) {
    case RunKind::train:
      return train_page(folder);
    case RunKind::sweep:
      return sweep_page(folder);
    case RunKind::comparison:
      return comparison_page(folder);
    case RunKind::reproduction:
      break;
  }
  return reproduction_page(folder);
}

Page empty_page(const std::string& title, const std::string& subtitle) {
  Page page;
  page.title = title;
  page.subtitle = subtitle;
  page.made_by = fmt::format("ognn {} ({})", kVersion, kCommit);
  return page;
}

Json read_object(const std::filesystem::path& file) {
  constexpr int64_t kMostBytes = int64_t{1} << 28;
  Json json = core::read_json(file, {kMostBytes});
  if (!json.is_object()) fail_in(file, "is no JSON object");
  return json;
}

double number_of(const Json& object, const char* key) {
  const auto value = object.find(key);
  return core::number_or_nan(value == object.end() ? Json() : *value);
}

PageTable options_table(const std::string& caption, const Json& options) {
  const Json defaults = defaults_beside(options);
  std::vector<std::vector<std::string>> changed, usual;
  const auto add = [&](const std::string& name, const Json& value) {
    const Json usually = defaults.value(name, Json());
    const bool differs = usually != value;
    (differs ? changed : usual)
        .push_back({name, ordered_gnn::value_text(value),
                    differs && !usually.is_null()
                        ? ordered_gnn::value_text(usually)
                        : ""});
  };
  for (const Option<RunOptions>& row : run_option_table()) {
    const auto found = options.find(row.spec.name);
    if (found != options.end()) add(row.spec.name, *found);
  }
  for (const auto& [name, value] : options.items()) {
    if (!is_comment_key(name) && !defaults.contains(name)) add(name, value);
  }
  ReportTable table({"option", "value", "default"},
                    {Align::left, Align::left, Align::left});
  for (auto& row : changed) table.add(std::move(row));
  for (auto& row : usual) table.add(std::move(row));
  return {caption, table, -1};
}

}  // namespace ordered_gnn::lab
