#include "shared/many_runs.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::cli {

std::vector<std::string> searched_training_options() {
  const std::vector<std::string> kept = {"splits", "epochs", "patience",
                                         "metric", "class-weights"};
  std::vector<std::string> others = {"checkpoint-layers", "reorder"};
  for (const Option<RunOptions>& row : run_option_table()) {
    const bool training = row.spec.group == "Training";
    if (training &&
        std::find(kept.begin(), kept.end(), row.spec.name) == kept.end()) {
      others.push_back(row.spec.name);
    }
  }
  return others;
}

void erase_how_runs_are_done(Json& values) {
  for (const char* elsewhere : {"splits", "device", "math", "threads", "pin",
                                "workers", "max-memory"}) {
    values.erase(elsewhere);
  }
}

std::string folder_named_after(const std::string& data,
                               const std::string& folder) {
  std::string name = std::filesystem::path(data).stem().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
  }
  return folder + "/" + name;
}

}  // namespace ordered_gnn::cli
