#include "lab/page/run_page.h"

#include <fmt/format.h>

#include <cmath>

#include "core/io/file.h"
#include "lab/page/run_pages.h"
#include "lab/reproduce/reproduction.h"
#include "ordered_gnn/version.h"

namespace ordered_gnn::lab {
namespace {

bool holds(const std::filesystem::path& folder, const std::string& name) {
  std::error_code ignored;
  return std::filesystem::exists(folder / name, ignored);
}

}  // namespace

std::string to_string(RunKind kind) {
  switch (kind) {
    case RunKind::train:
      return "train";
    case RunKind::sweep:
      return "sweep";
    case RunKind::comparison:
      return "compare";
    case RunKind::reproduction:
      return "reproduce";
  }
  return "";
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
  Json json = Json::parse(core::read_file(file, kMostBytes), nullptr,
                          /*allow_exceptions=*/false);
  if (!json.is_object()) fail_in(file, "is no JSON object; it may be cut");
  return json;
}

double number_of(const Json& object, const char* key) {
  const auto value = object.find(key);
  return value != object.end() && value->is_number() ? value->get<double>()
                                                     : std::nan("");
}

PageTable options_table(const std::string& caption, const Json& options) {
  ReportTable table({"option", "value"}, {Align::left, Align::left});
  for (const auto& [name, value] : options.items()) {
    if (is_comment_key(name)) continue;
    table.add(
        {name, value.is_string() ? value.get<std::string>() : value.dump()});
  }
  return {caption, table, -1};
}

}  // namespace ordered_gnn::lab
