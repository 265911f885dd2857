#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/io/file_lock.h"
#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

/// What may be in a folder that a command is told to write to.
enum class ExistingOutput {
  refuse,     ///< an error unless the folder is new or empty
  resume,     ///< a run of the same settings goes on
  overwrite,  ///< a run of ours is replaced, see remove_run_files()
};

/// What a folder of ours holds: the file that marks it and its format.
struct FolderKind {
  std::string marker = "run.json";
  std::string format = "ordered_gnn run 1";
  std::string noun = "run";  ///< for messages
};

/// A fact of the marker of a folder of ours, read without touching it; null
/// where there is no such folder, marker or fact.
Json folder_fact(const std::filesystem::path& folder, const std::string& name,
                 const FolderKind& kind = {});

/// A folder that belongs to one run: marked by a file, `run.json` unless told
/// otherwise, which holds the settings, and locked while the object lives. What
/// a killed process left half written directly in it is deleted.
class OutputFolder {
 public:
  /// @param identity  settings that a resumed run must share.
  /// @param about     further facts for the marker, for example the command.
  /// @throws Error when the folder exists and was not written by this program
  ///         (whatever `existing` says), holds a run that may not be touched,
  ///         was made with other settings (naming them), or is in use.
  OutputFolder(std::filesystem::path path, ExistingOutput existing,
               const Json& identity, const Json& about, FolderKind kind = {});

  const std::filesystem::path& path() const { return path_; }

  /// What was in a folder that is overwritten and is not of a run, as
  /// remove_run_files() names it.
  const std::vector<std::string>& left() const { return left_; }

  /// A fact of the marker; null when it has none of that name.
  Json fact(const std::string& name) const;
  /// Adds or replaces a fact.
  void set_fact(const std::string& name, const Json& value);

 private:
  void lock();
  void write_marker() const;

  std::filesystem::path path_;
  FolderKind kind_;
  Json marker_;
  std::vector<std::string> left_;
  core::LockedFile lock_;
};

}  // namespace ordered_gnn::lab
