#pragma once
#include <filesystem>
#include <string>

namespace ordered_gnn::core {

/// A name beside `target` for what is written ahead of being renamed to it:
/// `.NAME.PROCESS-COUNT.tmp`, never the same twice in a process.
std::filesystem::path temporary_beside(const std::filesystem::path& target);

/// Whether a file of this name is one of temporary_beside(), made for any
/// target.
bool is_temporary(const std::filesystem::path& file);

/// Deletes the files in `folder` with a name of temporary_beside() whose
/// process has ended: a kill leaves them. Folders, links and all other names
/// are left alone, and so is what cannot be deleted.
/// @param target  only those made for this file name; empty: for any.
void remove_leftovers(const std::filesystem::path& folder,
                      const std::string& target = "") noexcept;

/// Flushes a folder to the disk, so that a rename in it survives a power cut.
/// File systems that cannot do it are passed over.
/// @return  0, or the number of the error.
int flush_folder(const std::filesystem::path& folder) noexcept;

}  // namespace ordered_gnn::core
