#include "data/formats/atomic_folder.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "core/io/file.h"
#include "core/io/temporary_file.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

std::string reason(int code) { return std::generic_category().message(code); }

// Without a link or a slash at the end, which rename() would trip over.
fs::path plain_target(const fs::path& target) {
  std::error_code ignored;
  fs::path full = fs::is_symlink(target, ignored)
                      ? fs::weakly_canonical(target)
                      : fs::absolute(target).lexically_normal();
  if (!full.has_filename()) full = full.parent_path();
  if (!full.has_filename()) {
    fail("'{}' names no folder that could be written", target.string());
  }
  return full;
}

}  // namespace

AtomicFolder::AtomicFolder(const fs::path& target)
    : target_(plain_target(target)) {
  // The name of a process that died may come back with its number.
  std::error_code failed;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    temporary_ = core::temporary_beside(target_);
    if (fs::create_directory(temporary_, failed)) return;
    if (failed) break;
  }
  const fs::path parent = target_.parent_path();
  temporary_.clear();
  fail_in(target_, fmt::format("cannot be written: folder '{}': {}",
                               parent.string(), failed.message()));
}

AtomicFolder::~AtomicFolder() {
  if (!temporary_.empty()) core::remove_tree(temporary_);
}

// The two folders change places in one step where the file system can do it.
void AtomicFolder::replace_existing() {
#ifdef RENAME_EXCHANGE
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(),
                  RENAME_EXCHANGE) == 0) {
    return;  // the earlier folder now has the temporary name
  }
#endif
  const fs::path earlier = core::temporary_beside(target_);
  if (::rename(target_.c_str(), earlier.c_str()) != 0) {
    fail_in(target_, "the folder there cannot be replaced: " + reason(errno));
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int code = errno;
    ::rename(earlier.c_str(), target_.c_str());
    fail_in(target_, "cannot be written: " + reason(code));
  }
  temporary_ = earlier;
}

void AtomicFolder::commit() {
  if (::rename(temporary_.c_str(), target_.c_str()) == 0) {
    temporary_.clear();
  } else if (errno == ENOTEMPTY || errno == EEXIST) {
    replace_existing();
  } else {
    fail_in(target_, "cannot be written: " + reason(errno));
  }
  flush_parent();
  // What still has the temporary name is the folder that was replaced.
  if (!temporary_.empty()) core::remove_tree(temporary_);
  temporary_.clear();
}

// The rename must survive a power cut too.
void AtomicFolder::flush_parent() const {
  const int code = core::flush_folder(target_.parent_path());
  if (code == 0) return;
  fail_in(target_,
          fmt::format("is written, but the folder around it could not be "
                      "flushed to the disk: {}; a power cut may undo it",
                      reason(code)));
}

}  // namespace ordered_gnn::data
