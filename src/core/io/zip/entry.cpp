#include <zlib.h>

#include <algorithm>
#include <new>

#include "core/io/little_endian.h"
#include "core/io/zip/crc_blocks.h"
#include "core/io/zip/format.h"
#include "core/io/zip/zip.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

using namespace zip_format;

// What the file holds of an entry: a range of bytes and what they should give.
struct PackedRange {
  const InputFile& file;
  int64_t offset;
  int64_t size;
  uint32_t crc;
};

void check_crc(const std::string& place, uint32_t stated, uint32_t found) {
  if (stated != found) {
    fail_in(place, fmt::format("the checksum differs (stated {:08x}, found "
                               "{:08x}): the data is damaged",
                               stated, found));
  }
}

class StoredSource : public ByteSource {
 public:
  StoredSource(std::string place, const PackedRange& range)
      : ByteSource(std::move(place), range.size), range_(range) {}

  void finish() override { check_crc(place(), range_.crc, crc_); }

 private:
  // A block is checked while it is still in the cache.
  void do_read(char* data, int64_t size) override {
    crc_ = crc_in_blocks(crc_, size, [&](int64_t begin, int64_t end) {
      const size_t count = static_cast<size_t>(end - begin);
      range_.file.read_at(offset_ + begin, data + begin, count);
      return static_cast<uint32_t>(
          crc32_z(0, reinterpret_cast<const Bytef*>(data + begin), count));
    });
    offset_ += size;
  }

  PackedRange range_;
  int64_t offset_ = range_.offset;
  uint32_t crc_ = 0;
};

class DeflatedSource : public ByteSource {
 public:
  DeflatedSource(std::string place, const PackedRange& range, int64_t size)
      : ByteSource(std::move(place), size),
        range_(range),
        block_(static_cast<size_t>(
            std::clamp<int64_t>(range.size, 1, int64_t{1} << 18))) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }

  ~DeflatedSource() override { inflateEnd(&stream_); }

  // One byte more than stated is asked for, so that an entry that inflates to
  // more is found out.
  void finish() override {
    char extra;
    if (inflate_into(&extra, 1) != 0) {
      fail_in(place(), "inflates to more bytes than the directory states");
    }
    if (stream_.avail_in > 0 || taken_ < range_.size) {
      fail_in(place(), "has bytes left after its deflated data");
    }
    check_crc(place(), range_.crc, crc_);
  }

 private:
  void do_read(char* data, int64_t size) override {
    constexpr int64_t kBlock = int64_t{1} << 18;
    while (size > 0) {
      const int64_t wanted = std::min(size, kBlock);
      if (inflate_into(data, wanted) != wanted) {
        fail_in(place(), "inflates to fewer bytes than the directory states");
      }
      crc_ = static_cast<uint32_t>(crc32_z(crc_,
                                           reinterpret_cast<const Bytef*>(data),
                                           static_cast<size_t>(wanted)));
      data += wanted;
      size -= wanted;
    }
  }

  // Inflates `size` bytes, fewer only when the deflated data ends before.
  int64_t inflate_into(char* data, int64_t size) {
    stream_.next_out = reinterpret_cast<Bytef*>(data);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out > 0 && !ended_) {
      if (stream_.avail_in == 0) refill();
      // Without input left zlib may still hold output, or the end itself.
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status == Z_STREAM_END) {
        ended_ = true;
      } else if (status == Z_BUF_ERROR) {
        fail_in(place(), "has truncated deflated data");
      } else if (status != Z_OK) {
        fail_in(place(), fmt::format("has damaged deflated data ({})",
                                     stream_.msg != nullptr ? stream_.msg
                                                            : "no detail"));
      }
    }
    return size - stream_.avail_out;
  }

  void refill() {
    const int64_t count = std::min<int64_t>(
        range_.size - taken_, static_cast<int64_t>(block_.size()));
    if (count == 0) return;
    range_.file.read_at(range_.offset + taken_, block_.data(),
                        static_cast<size_t>(count));
    taken_ += count;
    stream_.next_in = block_.data();
    stream_.avail_in = static_cast<uInt>(count);
  }

  PackedRange range_;
  std::vector<Bytef> block_;
  z_stream stream_{};
  int64_t taken_ = 0;
  uint32_t crc_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> ZipReader::open(const ZipEntry& entry) const {
  const std::string place = path().string() + ":" + entry.name;
  // The layout check left room for this header and the name.
  std::string header(kLocalHeaderSize + entry.name.size(), '\0');
  file_.read_at(entry.header_offset, header.data(), header.size());
  const size_t name_size = load_le<uint16_t>(header.data() + 26);
  const size_t extra_size = load_le<uint16_t>(header.data() + 28);
  if (load_le<uint32_t>(header.data()) != kLocalHeader ||
      ZipMethod{load_le<uint16_t>(header.data() + 8)} != entry.method ||
      name_size != entry.name.size() ||
      header.compare(kLocalHeaderSize, name_size, entry.name) != 0) {
    fail_in(place,
            "its header differs from the directory; the file is damaged");
  }
  const int64_t offset =
      entry.header_offset + static_cast<int64_t>(header.size() + extra_size);
  if (offset > directory_offset_ - entry.packed_size) {
    fail_in(place, "its data reaches into the directory; the file is damaged");
  }
  const PackedRange range{file_, offset, entry.packed_size, entry.crc};
  if (entry.method == ZipMethod::stored) {
    return std::make_unique<StoredSource>(place, range);
  }
  return std::make_unique<DeflatedSource>(place, range, entry.size);
}

}  // namespace ordered_gnn::core
