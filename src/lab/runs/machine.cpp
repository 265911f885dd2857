#include "lab/runs/machine.h"

#include <filesystem>
#include <fstream>

#include "core/affixes.h"
#include "core/simd.h"
#include "ordered_gnn/version.h"

namespace ordered_gnn::lab {
namespace {

// The rest of the first line of `file` that starts with `key`, after a colon.
std::string value_in(const std::filesystem::path& file,
                     const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!core::starts_with(line, key)) continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::string gpu_name() {
  std::error_code status;
  std::filesystem::directory_iterator it("/proc/driver/nvidia/gpus", status);
  if (status || it == std::filesystem::directory_iterator()) return "";
  return value_in(it->path() / "information", "Model");
}

}  // namespace

std::string machine_text(const std::string& device) {
  if (device != "cpu") {
    const std::string name = gpu_name();
    return name.empty() ? "a GPU" : name;
  }
  const std::string name = value_in("/proc/cpuinfo", "model name");
  return (name.empty() ? "a CPU" : name) + ", " + to_string(core::simd_level());
}

ResultOrigin origin_of(const BatchOptions& batch) {
  return {to_string(batch.execution.device),
          to_string(batch.execution.math),
          machine_text(to_string(batch.execution.device)),
          batch.command,
          kVersion,
          kCommit};
}

}  // namespace ordered_gnn::lab
