#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "commands/data.h"
#include "data/fetch/checksums.h"
#include "data/fetch/dataset_files.h"
#include "ordered_gnn/core/error.h"
#include "shared/status_line.h"

namespace ordered_gnn::cli {
namespace {

namespace fs = std::filesystem;

struct VerifyCommand : OutputFlags {
  std::string root;
};

struct Report {
  fs::path root;
  bool has_list = false;
  std::vector<data::CheckedFile> files;
  std::vector<data::DatasetFiles> datasets;

  size_t count(data::FileState state) const {
    return static_cast<size_t>(std::count_if(
        files.begin(), files.end(),
        [&](const data::CheckedFile& file) { return file.state == state; }));
  }
  bool all_right() const {
    return count(data::FileState::right) == files.size();
  }
};

fs::path choose_root(const std::string& given) {
  std::error_code ignored;
  if (!given.empty()) {
    if (!fs::is_directory(given, ignored)) fail_in(given, "is no folder");
    return given;
  }
  const std::vector<fs::path> roots = data_roots("");
  for (const fs::path& root : roots) {
    if (fs::is_directory(root, ignored)) return root;
  }
  std::vector<std::string> names;
  for (const fs::path& root : roots) names.push_back(root.string());
  fail(
      "no data folder exists (looked for {}); name one, or get data with 'ognn "
      "data fetch NAME'",
      fmt::join(names, ", "));
}

Report examine(const VerifyCommand& command) {
  Report report;
  report.root = choose_root(command.root);
  const fs::path list = report.root / "SHA256SUMS";
  std::error_code ignored;
  report.has_list = fs::exists(list, ignored);
  if (report.has_list) {
    StatusLine status(command.quiet);
    report.files = data::verify_checksums(
        report.root, data::read_checksums(list),
        [&](int64_t done, int64_t total) {
          status.show(fmt::format("checked {} of {} files", done, total));
        });
  }
  for (const NamedDataset& named : named_datasets()) {
    report.datasets.push_back(data::find_dataset_files(named, report.root));
  }
  return report;
}

std::string file_line(const data::CheckedFile& file) {
  switch (file.state) {
    case data::FileState::differs:
      return fmt::format("  differs     {}\n    expected {}\n    found    {}\n",
                         file.path, file.expected, file.found);
    case data::FileState::unreadable:
      return fmt::format("  unreadable  {}\n", file.problem);
    default:
      return fmt::format("  {:<10}  {}\n", to_string(file.state), file.path);
  }
}

std::string report_text(const Report& report) {
  std::string text = fmt::format("data root   {}\n", report.root.string());
  if (report.has_list) {
    text +=
        fmt::format("SHA256SUMS  {} of {} files are right\n",
                    report.count(data::FileState::right), report.files.size());
    for (const data::CheckedFile& file : report.files) {
      if (file.state != data::FileState::right) text += file_line(file);
    }
  } else {
    text += "SHA256SUMS  there is none here: no content was checked\n";
  }
  text += "datasets\n";
  for (const data::DatasetFiles& dataset : report.datasets) {
    text += dataset.complete()
                ? fmt::format("  {:<14} complete\n", dataset.name)
                : fmt::format("  {:<14} lacks {} in {}\n", dataset.name,
                              fmt::join(dataset.missing, ", "),
                              dataset.folder.string());
  }
  return text;
}

nlohmann::ordered_json report_json(const Report& report) {
  nlohmann::ordered_json json;
  json["root"] = report.root.string();
  json["has_list"] = report.has_list;
  for (const data::FileState state :
       {data::FileState::right, data::FileState::differs,
        data::FileState::missing, data::FileState::unreadable}) {
    json[to_string(state)] = report.count(state);
  }
  json["files"] = Json::array();
  for (const data::CheckedFile& file : report.files) {
    nlohmann::ordered_json row = {{"path", file.path},
                                  {"state", to_string(file.state)},
                                  {"expected", file.expected}};
    if (!file.found.empty()) row["found"] = file.found;
    if (!file.problem.empty()) row["problem"] = file.problem;
    json["files"].push_back(row);
  }
  json["datasets"] = Json::array();
  for (const data::DatasetFiles& dataset : report.datasets) {
    json["datasets"].push_back({{"name", dataset.name},
                                {"complete", dataset.complete()},
                                {"folder", dataset.folder.string()},
                                {"missing", dataset.missing}});
  }
  return json;
}

void run_verify(const VerifyCommand& command) {
  const Report report = examine(command);
  std::cout << (command.json ? report_json(report).dump(2) + "\n"
                             : report_text(report));
  if (report.all_right()) return;
  std::cout.flush();
  fail("{}: of {} files {} differ, {} are missing, {} are unreadable",
       (report.root / "SHA256SUMS").string(), report.files.size(),
       report.count(data::FileState::differs),
       report.count(data::FileState::missing),
       report.count(data::FileState::unreadable));
}

}  // namespace

void add_data_verify(CLI::App& data) {
  auto command = std::make_shared<VerifyCommand>();
  CLI::App& sub = *data.add_subcommand(
      "verify", "Check files against SHA256SUMS, say what is missing");
  sub.add_option("ROOT", command->root,
                 "data root; default: the first of $OGNN_DATA, ./datasets, the "
                 "user cache that exists");
  add_output_flags(sub, *command, "print one JSON object", "no progress");
  add_max_memory(sub);
  sub.footer(
      "Exit status 1 when a listed file is missing or differs.\n"
      "Examples:\n"
      "  ognn data verify\n"
      "  ognn data verify ~/datasets --json");
  call_on(sub, command, run_verify);
}

}  // namespace ordered_gnn::cli
