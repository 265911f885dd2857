#pragma once
#include <filesystem>
#include <string>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn {

/// What may be in a folder that a command is told to write to.
enum class ExistingOutput {
  refuse,     ///< an error unless the folder is new or empty
  resume,     ///< a run of the same settings goes on
  overwrite,  ///< a run of ours is replaced
};

/// A folder that belongs to one run: marked by `run.json`, which holds the
/// settings, and locked while the object lives.
class OutputFolder {
 public:
  /// @param identity  settings that a resumed run must share.
  /// @param about     further facts for `run.json`, for example the command.
  /// @throws Error when the folder exists and was not written by this program
  ///         (whatever `existing` says), holds a run that may not be touched,
  ///         was made with other settings (naming them), or is in use.
  OutputFolder(std::filesystem::path path, ExistingOutput existing,
               const Json& identity, const Json& about);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  void lock();

  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace ordered_gnn
