#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "lab/runs/run_batch.h"

namespace ordered_gnn::lab {

/// What training takes of the memory, measured once for every setting and kept
/// in FOLDER/memory.json.
class MemoryBook {
 public:
  /// A file that cannot be read is measured anew.
  explicit MemoryBook(const std::filesystem::path& folder);

  /// Bytes by which the most memory of a few epochs of the run, alone, exceeds
  /// what was in use before: of the process on a CPU, of tensors on a GPU. 0
  /// when the system does not tell, or the run fails.
  /// @param key  of the run in the log.
  int64_t peak_of(const PlannedRun& run, const std::string& key,
                  const BatchOptions& batch, DatasetCache& datasets);

 private:
  std::filesystem::path file_;
  std::map<std::string, int64_t> bytes_;
};

}  // namespace ordered_gnn::lab
