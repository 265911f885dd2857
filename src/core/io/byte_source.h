#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/io/input_file.h"
#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::core {

/// Bytes of known number that are read once, front to back, into memory of the
/// caller: a file, a part of one, a zip entry or a string.
class ByteSource : NonCopyable {
 public:
  ByteSource(std::string place, int64_t size)
      : place_(std::move(place)), remaining_(size) {}
  virtual ~ByteSource() = default;

  /// Names the source in errors, for example "graph.npz:labels.npy".
  const std::string& place() const { return place_; }
  int64_t remaining() const { return remaining_; }

  /// Reads exactly `size` bytes.
  /// @throws Error when that is more than remaining() or the data is damaged.
  void read(void* data, int64_t size);
  /// To be called after the last byte: the checks that need all of them.
  virtual void finish() {}

 protected:
  virtual void do_read(char* data, int64_t size) = 0;

 private:
  std::string place_;
  int64_t remaining_;
};

class MemorySource : public ByteSource {
 public:
  MemorySource(std::string_view bytes, std::string place)
      : ByteSource(std::move(place), static_cast<int64_t>(bytes.size())),
        next_(bytes.data()) {}

 private:
  void do_read(char* data, int64_t size) override;
  const char* next_;
};

class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path)
      : FileSource(path.string(), std::make_unique<InputFile>(path)) {}

 private:
  FileSource(std::string place, std::unique_ptr<InputFile> file)
      : ByteSource(std::move(place), file->size()), file_(std::move(file)) {}
  void do_read(char* data, int64_t size) override;
  std::unique_ptr<InputFile> file_;
  int64_t offset_ = 0;
};

}  // namespace ordered_gnn::core
