#include <zlib.h>

#include <algorithm>
#include <new>

#include "core/io/little_endian.h"
#include "core/io/zip/crc_blocks.h"
#include "core/io/zip/format.h"
#include "core/io/zip/zip.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::core {
namespace {

using namespace zip_format;

uint32_t crc_after(uint32_t crc, const char* data, int64_t size) {
  return static_cast<uint32_t>(crc32_z(
      crc, reinterpret_cast<const Bytef*>(data), static_cast<size_t>(size)));
}

uint32_t crc_of(const std::vector<std::string_view>& parts) {
  uint32_t crc = 0;
  for (const std::string_view part : parts) {
    const char* const data = part.data();
    const auto size = static_cast<int64_t>(part.size());
    // A null pointer, which an empty part may have, would reset the sum.
    if (size == 0) continue;
    // Parts may be a million short rows, which would only wait for each other.
    crc = size <= kCrcBlock
              ? crc_after(crc, data, size)
              : crc_in_blocks(crc, size, [&](int64_t begin, int64_t end) {
                  return crc_after(0, data + begin, end - begin);
                });
  }
  return crc;
}

// Owns a deflate stream whose output goes to a file block by block.
class Deflater : NonCopyable {
 public:
  explicit Deflater(AtomicFile& file) : file_(file), block_(1 << 16) {
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Deflater() { deflateEnd(&stream_); }

  void add(std::string_view bytes) {
    constexpr size_t kStep = size_t{1} << 30;  // zlib counts in 32 bits
    while (!bytes.empty()) {
      const size_t step = std::min(bytes.size(), kStep);
      stream_.next_in =
          reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream_.avail_in = static_cast<uInt>(step);
      run(Z_NO_FLUSH);
      bytes.remove_prefix(step);
    }
  }

  void finish() { run(Z_FINISH); }

 private:
  void run(int flush) {
    do {
      stream_.next_out = block_.data();
      stream_.avail_out = static_cast<uInt>(block_.size());
      deflate(&stream_, flush);
      file_.write(block_.data(), block_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  AtomicFile& file_;
  std::vector<Bytef> block_;
  z_stream stream_{};
};

// What the local header and the directory say alike.
void append_common(std::string& out, const ZipEntry& entry, bool zip64,
                   bool descriptor) {
  const bool ascii = std::all_of(entry.name.begin(), entry.name.end(),
                                 [](char c) { return c >= 0; });
  append_le<uint16_t>(out, zip64 ? kZip64Version : kPlainVersion);
  append_le<uint16_t>(
      out, (ascii ? 0 : kUtf8Flag) | (descriptor ? kDescriptorFlag : 0));
  append_le<uint16_t>(out, static_cast<uint16_t>(entry.method));
  append_le<uint16_t>(out, kNoTime);
  append_le<uint16_t>(out, kFirstDate);
}

uint32_t saturated(uint64_t value, bool large) {
  return large ? kSaturated32 : static_cast<uint32_t>(value);
}

}  // namespace

ZipWriter::ZipWriter(const std::filesystem::path& path, uint64_t zip64_from)
    : file_(path), place_(path.string()), zip64_from_(zip64_from) {}

// A deflated entry is written in one pass: its header carries no checksum and
// no sizes, a descriptor after the data does.
void ZipWriter::write_local_header(const ZipEntry& entry, bool zip64) {
  const bool deflated = entry.method == ZipMethod::deflated;
  std::string out;
  append_le(out, kLocalHeader);
  append_common(out, entry, zip64, deflated);
  append_le(out, deflated ? uint32_t{0} : entry.crc);
  const uint64_t size = deflated ? 0 : static_cast<uint64_t>(entry.size);
  append_le(out, saturated(size, zip64));
  append_le(out, saturated(size, zip64));
  append_le(out, static_cast<uint16_t>(entry.name.size()));
  append_le(out, static_cast<uint16_t>(zip64 ? 20 : 0));
  out += entry.name;
  if (zip64) {
    append_le(out, kZip64Extra);
    append_le(out, uint16_t{16});
    append_le(out, size);
    append_le(out, size);
  }
  file_.write(out);
}

int64_t ZipWriter::write_deflated(const ZipEntry& entry, bool zip64,
                                  const std::vector<std::string_view>& parts) {
  const int64_t start = file_.bytes_written();
  Deflater deflater(file_);
  for (const std::string_view part : parts) deflater.add(part);
  deflater.finish();
  const int64_t packed_size = file_.bytes_written() - start;
  std::string out;
  append_le(out, kDataDescriptor);
  append_le(out, entry.crc);
  for (const int64_t size : {packed_size, entry.size}) {
    if (zip64) {
      append_le(out, static_cast<uint64_t>(size));
    } else {
      append_le(out, static_cast<uint32_t>(size));
    }
  }
  file_.write(out);
  return packed_size;
}

void ZipWriter::add(const std::string& name, ZipMethod method,
                    const std::vector<std::string_view>& parts) {
  if (name.empty() || name.size() > 0xFFFF) {
    fail_in(place_, "an entry name needs 1 to 65535 bytes");
  }
  if (!names_.insert(name).second) {
    fail_in(place_, "entry '" + name + "' is added twice");
  }
  ZipEntry entry;
  entry.name = name;
  entry.method = method;
  entry.crc = crc_of(parts);
  entry.header_offset = file_.bytes_written();
  for (const std::string_view part : parts) {
    entry.size += static_cast<int64_t>(part.size());
  }
  // Incompressible data grows by less than 1/1024 and a few bytes.
  const bool zip64 = large(static_cast<uint64_t>(
      method == ZipMethod::stored ? entry.size
                                  : entry.size + entry.size / 1024 + 1024));
  write_local_header(entry, zip64);
  if (method == ZipMethod::deflated) {
    entry.packed_size = write_deflated(entry, zip64, parts);
  } else {
    for (const std::string_view part : parts) file_.write(part);
    entry.packed_size = entry.size;
  }
  entries_.push_back(std::move(entry));
}

void ZipWriter::append_directory_entry(std::string& out,
                                       const ZipEntry& entry) const {
  std::string extra;
  uint32_t plain[3];
  const int64_t values[3] = {entry.size, entry.packed_size,
                             entry.header_offset};
  for (int i = 0; i < 3; ++i) {
    const uint64_t value = static_cast<uint64_t>(values[i]);
    plain[i] = saturated(value, large(value));
    if (large(value)) append_le(extra, value);
  }
  const bool zip64 = !extra.empty();
  append_le(out, kDirectoryEntry);
  append_le(out, zip64 ? kZip64Version : kPlainVersion);
  append_common(out, entry, zip64, entry.method == ZipMethod::deflated);
  append_le(out, entry.crc);
  append_le(out, plain[1]);
  append_le(out, plain[0]);
  append_le(out, static_cast<uint16_t>(entry.name.size()));
  append_le(out, static_cast<uint16_t>(zip64 ? extra.size() + 4 : 0));
  out.append(10, '\0');  // no comment, first disk, no attributes
  append_le(out, plain[2]);
  out += entry.name;
  if (zip64) {
    append_le(out, kZip64Extra);
    append_le(out, static_cast<uint16_t>(extra.size()));
    out += extra;
  }
}

void ZipWriter::append_end(std::string& out, uint64_t offset,
                           uint64_t size) const {
  const uint64_t count = entries_.size();
  const bool zip64 = large(offset) || large(size) || count >= kSaturated16;
  if (zip64) {
    const uint64_t end_offset = offset + size;
    append_le(out, kZip64End);
    append_le(out, uint64_t{kZip64EndSize - 12});
    append_le(out, kZip64Version);
    append_le(out, kZip64Version);
    append_le(out, uint64_t{0});  // first and only disk
    append_le(out, count);
    append_le(out, count);
    append_le(out, size);
    append_le(out, offset);
    append_le(out, kZip64Locator);
    append_le(out, uint32_t{0});
    append_le(out, end_offset);
    append_le(out, uint32_t{1});
  }
  const uint16_t plain_count =
      zip64 ? kSaturated16 : static_cast<uint16_t>(count);
  append_le(out, kEnd);
  append_le(out, uint32_t{0});
  append_le(out, plain_count);
  append_le(out, plain_count);
  append_le(out, saturated(size, zip64));
  append_le(out, saturated(offset, zip64));
  append_le(out, uint16_t{0});
}

void ZipWriter::finish() {
  const int64_t offset = file_.bytes_written();
  std::string directory;
  for (const ZipEntry& entry : entries_) {
    append_directory_entry(directory, entry);
  }
  const uint64_t size = directory.size();
  append_end(directory, static_cast<uint64_t>(offset), size);
  file_.write(directory);
  file_.commit();
}

}  // namespace ordered_gnn::core
