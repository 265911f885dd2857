#include "shared/output_file.h"

#include <fmt/format.h>

#include <fstream>

#include "core/io/temporary_file.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::cli {
namespace {

bool begins_with_one_of(const std::filesystem::path& file,
                        const std::vector<std::string>& signatures) {
  for (const std::string& signature : signatures) {
    std::ifstream in(file, std::ios::binary);
    std::string head(signature.size(), '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    if (!signature.empty() && head == signature) return true;
  }
  return false;
}

}  // namespace

void require_writable(const std::filesystem::path& file,
                      const std::string& signature, bool force) {
  require_writable(file, std::vector<std::string>{signature}, force);
}

void require_writable(const std::filesystem::path& file,
                      const std::vector<std::string>& signatures, bool force) {
  namespace fs = std::filesystem;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!fs::is_directory(folder)) {
    fail_in(file, fmt::format("the folder {} does not exist; create it first",
                              folder.string()));
  }
  core::remove_leftovers(folder, file.filename().string());
  if (!fs::exists(file)) return;
  if (fs::is_directory(file)) fail_in(file, "is a folder, give a file name");
  // Before it is opened: a pipe would wait for a writer.
  if (!fs::is_regular_file(file)) {
    fail_in(file,
            "is a pipe, socket or device; output is written to a file beside "
            "its name and renamed when it is complete, so give a file name");
  }
  if (force) return;
  if (!begins_with_one_of(file, signatures)) {
    fail_in(file,
            "exists and was not written by this program; choose another name "
            "or add --force");
  }
}

}  // namespace ordered_gnn::cli
