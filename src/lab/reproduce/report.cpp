#include "lab/reproduce/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/io/file.h"
#include "core/io/folder.h"
#include "core/io/json_reader.h"
#include "core/names.h"
#include "lab/reproduce/plan.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr const char* kResultsFile = "results.json";
constexpr int64_t kMostResultBytes = int64_t{1} << 28;

void make_folder(const std::filesystem::path& folder) {
  std::error_code status;
  std::filesystem::create_directories(folder, status);
  if (status) fail_in(folder, "cannot create the folder: " + status.message());
}

ExperimentResult read_result(const std::filesystem::path& file) {
  try {
    return core::reading(file, [&] {
      ExperimentResult result = experiment_result_from_json(
          core::read_json(file, {kMostResultBytes}));
      // Tables and plots are what it is for: they must come out.
      experiment_markdown(result, "");
      return result;
    });
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    fail_in(file, fmt::format("cannot be used: {}", error.what()));
  }
}

// Paths and messages may hold bytes that are no UTF-8; they must not cost the
// result.
std::string result_text(const ExperimentResult& result) {
  return to_json(result).dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

// Results that are there of experiments that are not, but may be in a later
// version.
std::vector<std::string> unknown_results(const std::filesystem::path& folder) {
  const std::vector<std::string> known = experiment_names();
  std::vector<std::string> problems;
  for (const std::filesystem::path& entry : core::entries_if_any(folder)) {
    const std::string name = entry.filename().string();
    const std::filesystem::path file = entry / kResultsFile;
    std::error_code ignored;
    if (std::count(known.begin(), known.end(), name) > 0 ||
        !std::filesystem::exists(file, ignored)) {
      continue;
    }
    problems.push_back(
        fmt::format("{}: {}", file.string(),
                    core::unknown_name_message("experiment", name, known)));
  }
  return problems;
}

// What the page would have more of.
std::string absent_text(const std::vector<ExperimentResult>& results) {
  std::vector<std::string> absent;
  for (const std::string& name : experiment_names()) {
    const bool here =
        std::any_of(results.begin(), results.end(),
                    [&](const ExperimentResult& r) { return r.name == name; });
    if (!here) absent.push_back(fmt::format("`{}`", name));
  }
  return absent.empty() ? ""
                        : fmt::format(
                              "No results yet of {}: `ognn reproduce NAME` "
                              "makes them.\n\n",
                              fmt::join(absent, ", "));
}

std::string replaced(std::string text, const std::string& name) {
  const size_t place = text.find("{}");
  if (place != std::string::npos) text.replace(place, 2, name);
  return text;
}

}  // namespace

FolderResults read_results(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    fail_in(folder,
            "there is no such folder; give the --out of 'ognn "
            "reproduce'");
  }
  FolderResults results;
  for (const std::string& name : experiment_names()) {
    const std::filesystem::path file = folder / name / kResultsFile;
    if (!std::filesystem::exists(file)) continue;
    try {
      results.experiments.push_back(read_result(file));
    } catch (const Error& error) {
      results.problems.emplace_back(error.what());
    }
  }
  for (std::string& problem : unknown_results(folder)) {
    results.problems.push_back(std::move(problem));
  }
  try {
    results.commentary = read_commentary(folder);
  } catch (const Error& error) {
    results.problems.emplace_back(error.what());
  }
  return results;
}

std::string results_page(const FolderResults& results,
                         const std::string& plots) {
  std::string text =
      "# Results\n\n"
      "Made by `ognn reproduce` from result files; to be made again, not "
      "edited.\n\n";
  for (const ExperimentResult& result : results.experiments) {
    if (result.quick) {
      text += fmt::format("**{}: {}**\n\n", result.title, quick_label());
    }
  }
  for (const std::string& problem : results.problems) {
    text += fmt::format("Not used: {}\n\n", problem);
  }
  text += absent_text(results.experiments);
  for (const ExperimentResult& result : results.experiments) {
    text += experiment_markdown(result, replaced(plots, result.name),
                                results.commentary);
  }
  text.pop_back();  // the blank line below the last section
  return text;
}

void write_result(const ExperimentResult& result,
                  const std::filesystem::path& folder) {
  make_folder(folder / result.name);
  core::write_file(folder / result.name / kResultsFile, result_text(result));
}

void write_experiment(const ExperimentResult& result,
                      const std::filesystem::path& folder) {
  const std::filesystem::path own = folder / result.name;
  make_folder(own);
  for (const NamedPlot& plot : experiment_plots(result)) {
    core::write_file(own / plot.file, plot.svg);
  }
  core::write_file(own / "table.csv", experiment_csv(result));
  write_result(result, folder);
  const FolderResults all = read_results(folder);
  core::write_file(own / "table.md",
                   experiment_markdown(result, "", all.commentary));
  core::write_file(own / "table.tex", experiment_latex(result));
  core::write_file(folder / "results.md", results_page(all, "{}/"));
}

std::vector<std::string> write_report(const std::filesystem::path& folder,
                                      const std::filesystem::path& file) {
  const FolderResults results = read_results(folder);
  if (results.experiments.empty()) {
    std::string why =
        "has no results; run 'ognn reproduce EXPERIMENT --out' "
        "with it first";
    for (const std::string& problem : results.problems) {
      why += "\n  " + problem;
    }
    fail_in(folder, why);
  }
  const std::string plots = file.stem().string();
  const std::filesystem::path beside = file.parent_path() / plots;
  make_folder(beside);
  for (const ExperimentResult& result : results.experiments) {
    for (const NamedPlot& plot : experiment_plots(result)) {
      core::write_file(beside / plot.file, plot.svg);
    }
  }
  core::write_file(file, results_page(results, plots + "/"));
  return results.problems;
}

}  // namespace ordered_gnn::lab
