#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ordered_gnn {

/// What became of the damaged copies of a dataset.
struct CorruptionCounts {
  int64_t tried = 0;
  int64_t refused = 0;  ///< by an Error; the others were loaded
};

/// Damages the files of one small dataset, one way at a time, loads each
/// variant with load_path(), and puts the files back. A variant must give an
/// Error or a dataset that passes validate(), within ten seconds; all of them
/// together must not ask for more than 1 GB of memory. Anything else is a test
/// failure that names the file and the damage.
class Corruption {
 public:
  /// `root` holds the files of the dataset and nothing else; `dataset` is what
  /// load_path() is given.
  Corruption(std::filesystem::path root, std::filesystem::path dataset,
             std::string format);

  /// Cuts every file at every byte, to nothing included.
  CorruptionCounts truncate_everywhere();
  /// Changes one to three random bytes, anywhere in the files, per round.
  CorruptionCounts flip_bytes(int64_t rounds, uint32_t seed);
  /// Leaves out one file at a time.
  CorruptionCounts remove_each_file();

  /// Bytes of all files together.
  int64_t num_bytes() const { return num_bytes_; }
  int64_t num_files() const { return static_cast<int64_t>(files_.size()); }

 private:
  struct File {
    std::filesystem::path path;
    std::string content;
  };
  void try_loading(const std::string& damage, CorruptionCounts& counts) const;

  std::filesystem::path dataset_;
  std::string format_;
  std::vector<File> files_;
  int64_t num_bytes_ = 0;
};

}  // namespace ordered_gnn
