#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ordered_gnn/core/non_copyable.h"
#include "scale/parts/manifest.h"
#include "scale/parts/npy_stream.h"
#include "scale/parts/plan.h"

namespace ordered_gnn::scale {

/// What a PartsWriter refuses a folder for, to be asked before a graph is read.
/// @throws Error when there is something else at `folder`, or parts that may
///         not be replaced.
void require_free_folder(const std::filesystem::path& folder, bool replace);

/// Writes a folder of parts, one part after the other and `parts.json` last, so
/// that no more than a part is in memory. What it has written is deleted again
/// when it goes before finish().
class PartsWriter : NonCopyable {
 public:
  /// @param manifest  all but files, which follow from what is written.
  /// @param replace   an earlier folder of parts in its place goes first.
  /// @throws Error as require_free_folder(). What a killed writer left is
  /// replaced.
  PartsWriter(std::filesystem::path folder, PartsManifest manifest,
              bool replace);
  ~PartsWriter();

  /// The lists of a part as rows of its nodes: columns are new ids, in the
  /// order of the original ones.
  void add_lists(int64_t part, const Adjacency& in, const Adjacency& out);
  /// @param labels    [n] int64.  @param splits  [S, n] uint8: 0 none, 1 train,
  ///                  2 val, 3 test.  @param original  [n] int64.
  void add_nodes(int64_t part, const at::Tensor& labels,
                 const at::Tensor& splits, const at::Tensor& original);
  /// Dense rows in pieces: `piece(begin, end)` gives those of the part's nodes
  /// in [begin, end), float32.
  void add_dense(
      int64_t part,
      const std::function<at::Tensor(int64_t begin, int64_t end)>& piece);
  void add_sparse(int64_t part, const SparseRows& rows);
  /// Dense rows as they come, those of a part in order; in the place of
  /// add_dense(). A file of every part is open from its first row to finish().
  void append_dense(int64_t part, const at::Tensor& rows);

  /// What the parts hold and need, where the manifest did not know it yet.
  void set_sizes(std::vector<PartSize> sizes);
  void set_data_fingerprint(std::string fingerprint);

  /// Writes `parts.json`.
  PartsManifest finish();

 private:
  void add(int64_t part, const std::string& name, const at::Tensor& values);

  std::filesystem::path path_of(const std::string& file) const;

  const std::filesystem::path folder_;
  PartsManifest manifest_;
  std::map<int64_t, std::unique_ptr<NpyStream>> dense_;
  bool is_done_ = false;
};

/// Which part of every split nodes are in, [S, N] uint8, see add_nodes().
at::Tensor split_marks(const std::vector<Split>& splits, int64_t nodes);

/// Cuts a dataset into parts and writes them.
/// @param method  how the assignment was made, to be told.
/// @throws Error when the graph has weights, which parts do not hold; as
///         PartsWriter.
PartsManifest write_parts(const NodeDataset& data, const Assignment& assignment,
                          int64_t parts, const std::string& method,
                          const std::filesystem::path& folder, bool replace);

}  // namespace ordered_gnn::scale
