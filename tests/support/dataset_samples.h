#pragma once
#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace ordered_gnn {

/// A valid dataset of a few nodes in one file format: what corruption tests
/// damage and fuzzers start from.
struct DatasetSample {
  std::string name;    ///< letters, digits and underscores, each name once
  std::string format;  ///< the loader that reads it
  int64_t num_nodes;
  /// Writes the files into an empty folder; returns what to give load_path().
  std::filesystem::path (*write)(const std::filesystem::path& folder);
};

/// How test names and failures show a sample.
inline void PrintTo(const DatasetSample& sample, std::ostream* out) {
  *out << sample.name;
}

/// Every sample. A file format is added to the corruption tests and to the
/// fuzzers' seeds by an entry here.
const std::vector<DatasetSample>& dataset_samples();

/// An object `.npy` with two splits of four nodes, see split_dictionaries.h.
std::string split_dictionaries_sample();

}  // namespace ordered_gnn
