#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ordered_gnn::mutations {

/// A kind of file, or a folder of several, that the program reads.
struct Subject {
  std::string name;  ///< letters, digits and underscores, each name once
  /// Writes an intact sample into an empty folder.
  std::function<void(const std::filesystem::path& folder)> write;
  /// Reads a damaged copy of it as the program does.
  /// @param intact  the sample itself.
  /// @return  false when damage was taken for content that a checksum covers.
  /// @throws Error when the files are refused.
  std::function<bool(const std::filesystem::path& folder,
                     const std::filesystem::path& intact)>
      read;
};

/// Datasets of every format, users' tables, and what goes with them.
std::vector<Subject> dataset_subjects();

/// Checkpoints, training states and folders of runs, sweeps, comparisons and
/// experiments, and the files that describe runs.
/// @param graph  where write_graph() has put the graph that they train on.
std::vector<Subject> run_subjects(const std::filesystem::path& graph);
void write_graph(const std::filesystem::path& file);

}  // namespace ordered_gnn::mutations
