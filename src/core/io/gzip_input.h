#pragma once
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/io/input_file.h"
#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::core {

/// The bytes of a file, inflated when they are gzip data (told by the first
/// two bytes): one member or several, zero padding after the last allowed.
class GzipInput : NonCopyable {
 public:
  explicit GzipInput(const std::filesystem::path& path);
  ~GzipInput();

  /// Reads up to `size` bytes; 0 only at the end.
  /// @throws Error on damaged or truncated gzip data.
  size_t read(char* data, size_t size);

  /// How many bytes there are; 0 where that shows only when they are read.
  int64_t known_size() const {
    return phase_ == Phase::plain ? file_.size() : 0;
  }

 private:
  enum class Phase { plain, in_member, between_members, padding };
  bool refill();
  bool start_member();
  size_t copy_plain(char* data, size_t size);
  void inflate_some();

  InputFile file_;
  std::vector<Bytef> block_;
  z_stream stream_{};
  Phase phase_ = Phase::plain;
};

/// All bytes of a file that may be gzipped.
/// @throws Error as GzipInput does, and when there are more than `max_bytes`,
///         counted after inflation, or more than memory is left for.
std::string read_plain_or_gzipped(const std::filesystem::path& path,
                                  int64_t max_bytes);

}  // namespace ordered_gnn::core
