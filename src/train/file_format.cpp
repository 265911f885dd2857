#include "train/file_format.h"

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::training {

void FileFormat::require(const core::TensorFile& content,
                         const std::filesystem::path& file) const {
  const std::string& stated = content.metadata.at("format");
  if (stated != now && stated != first) {
    fail_in(file, fmt::format("has format '{}', this version reads '{}'",
                              stated, now));
  }
  if (stated == now && !content.is_verified) {
    fail_in(file, fmt::format("is damaged: it has no checksum, but files of "
                              "format '{}' have one; take another copy, or "
                              "make it again",
                              now));
  }
}

}  // namespace ordered_gnn::training
