#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/io/byte_source.h"
#include "core/io/file.h"
#include "core/io/input_file.h"

namespace ordered_gnn::core {

enum class ZipMethod : uint16_t { stored = 0, deflated = 8 };

/// One row of a zip directory. Offsets and sizes lie inside the file and do
/// not overlap those of other entries; `size` is at most what `packed_size`
/// bytes can inflate to, but not known to be true until the entry is read.
struct ZipEntry {
  std::string name;
  ZipMethod method = ZipMethod::stored;
  uint32_t crc = 0;
  int64_t packed_size = 0;
  int64_t size = 0;
  int64_t header_offset = 0;
};

/// The directory of a zip file, ZIP64 included. Reading entries is safe from
/// several threads.
class ZipReader {
 public:
  /// @throws Error when the file is no zip, is truncated, is split over
  ///         several files, is encrypted, packs by another method than deflate,
  ///         or has a name twice.
  explicit ZipReader(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_.path(); }
  const std::vector<ZipEntry>& entries() const { return entries_; }
  /// Null when there is no such entry.
  const ZipEntry* find(const std::string& name) const;
  /// The content of one of entries(). finish() checks size and CRC. The reader
  /// must outlive it.
  std::unique_ptr<ByteSource> open(const ZipEntry& entry) const;

 private:
  InputFile file_;
  int64_t directory_offset_ = 0;
  std::vector<ZipEntry> entries_;
  std::unordered_map<std::string, size_t> index_;
};

/// Writes a zip file that appears when finish() returns. Equal content gives
/// equal bytes: no times are stored.
class ZipWriter {
 public:
  /// Sizes and offsets from `zip64_from` on take the ZIP64 form; the format
  /// demands it for 2^32 - 1 and tests for less.
  explicit ZipWriter(const std::filesystem::path& path,
                     uint64_t zip64_from = 0xFFFFFFFF);

  /// Adds an entry whose content is `parts` one after the other.
  /// @throws Error when the name was used before or does not fit.
  void add(const std::string& name, ZipMethod method,
           const std::vector<std::string_view>& parts);
  void finish();

 private:
  bool large(uint64_t value) const { return value >= zip64_from_; }
  void write_local_header(const ZipEntry& entry, bool zip64);
  int64_t write_deflated(const ZipEntry& entry, bool zip64,
                         const std::vector<std::string_view>& parts);
  void append_directory_entry(std::string& out, const ZipEntry& entry) const;
  void append_end(std::string& out, uint64_t offset, uint64_t size) const;

  AtomicFile file_;
  std::string place_;
  uint64_t zip64_from_;
  std::vector<ZipEntry> entries_;
  std::unordered_set<std::string> names_;
};

}  // namespace ordered_gnn::core
