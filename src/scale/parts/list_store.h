#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

namespace ordered_gnn::scale {

/// Lists of a graph on disk, sorted by external buckets: entries come in any
/// order, rows are read in order, and no more than a bucket is in memory.
class ListStore {
 public:
  /// @param stem            of its files, in a folder that is there.
  /// @param entries         about how many there will be.
  /// @param bucket_entries  of them that may be in memory, about.
  ListStore(std::filesystem::path stem, int64_t nodes, int64_t entries,
            int64_t bucket_entries = int64_t{1} << 24);

  void add(int64_t row, int64_t column);
  /// Sorts every bucket and drops repeats; all entries are there.
  void sort();

  /// Rows of consecutive nodes; columns rise.
  struct Rows {
    int64_t first = 0;
    std::vector<int64_t> rowptr;  ///< from 0 on
    std::vector<uint32_t> column;
    int64_t size() const { return static_cast<int64_t>(rowptr.size()) - 1; }
  };
  int64_t num_buckets() const { return static_cast<int64_t>(counts_.size()); }
  Rows read(int64_t bucket) const;

  /// Distinct ones; after sort().
  int64_t num_entries() const;

 private:
  std::filesystem::path file_of(int64_t bucket) const;
  void flush(int64_t bucket);

  const std::filesystem::path stem_;
  const int64_t nodes_;
  const int64_t bucket_nodes_;
  const int64_t most_waiting_;  ///< entries, in all buckets together
  std::vector<std::vector<uint64_t>> waiting_;  ///< per bucket, to be written
  std::vector<int64_t> counts_;                 ///< entries on disk
};

}  // namespace ordered_gnn::scale
