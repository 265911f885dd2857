#include <algorithm>

#include "core/io/little_endian.h"
#include "core/io/zip/format.h"
#include "core/io/zip/zip.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

using namespace zip_format;

// Deflate spends at least two bits on 258 bytes.
constexpr int64_t kMaxInflation = 1032;

struct Directory {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t count = 0;
};

[[noreturn]] void refuse(const InputFile& file, const std::string& why) {
  fail_in(file.path(), "is not a readable zip file: " + why);
}

std::string read_range(const InputFile& file, int64_t offset, size_t size) {
  std::string bytes(size, '\0');
  file.read_at(offset, bytes.data(), size);
  return bytes;
}

// The end record is the last thing in the file save for a comment, whose
// length must then lead exactly to the end.
int64_t find_end(const InputFile& file) {
  const int64_t tail_size =
      std::min<int64_t>(file.size(), kEndSize + kMaxComment);
  const int64_t tail_offset = file.size() - tail_size;
  const std::string tail =
      read_range(file, tail_offset, static_cast<size_t>(tail_size));
  for (int64_t at = tail_size - int64_t{kEndSize}; at >= 0; --at) {
    const char* const record = tail.data() + at;
    if (load_le<uint32_t>(record) == kEnd &&
        at + int64_t{kEndSize} + load_le<uint16_t>(record + 20) == tail_size) {
      return tail_offset + at;
    }
  }
  refuse(file, "it has no directory at its end; it may be truncated");
}

// Where the ZIP64 end record is, or -1 when there is none.
int64_t find_zip64_end(const InputFile& file, int64_t end_offset) {
  if (end_offset < int64_t{kZip64LocatorSize + kZip64EndSize}) return -1;
  const std::string locator = read_range(
      file, end_offset - int64_t{kZip64LocatorSize}, kZip64LocatorSize);
  if (load_le<uint32_t>(locator.data()) != kZip64Locator) return -1;
  const uint64_t offset = load_le<uint64_t>(locator.data() + 8);
  const uint64_t last =
      static_cast<uint64_t>(end_offset) - kZip64LocatorSize - kZip64EndSize;
  if (offset > last) refuse(file, "its ZIP64 record lies outside the file");
  return static_cast<int64_t>(offset);
}

Directory read_zip64_end(const InputFile& file, int64_t offset) {
  const std::string record = read_range(file, offset, kZip64EndSize);
  if (load_le<uint32_t>(record.data()) != kZip64End) {
    refuse(file, "its ZIP64 record is damaged");
  }
  Directory directory;
  directory.count = load_le<uint64_t>(record.data() + 32);
  directory.size = load_le<uint64_t>(record.data() + 40);
  directory.offset = load_le<uint64_t>(record.data() + 48);
  return directory;
}

Directory find_directory(const InputFile& file) {
  if (file.size() < int64_t{kEndSize}) refuse(file, "it is too short");
  int64_t limit = find_end(file);
  const std::string record = read_range(file, limit, kEndSize);
  const int64_t zip64_end = find_zip64_end(file, limit);
  Directory directory;
  if (zip64_end >= 0) {
    directory = read_zip64_end(file, zip64_end);
    limit = zip64_end;
  } else {
    if (load_le<uint16_t>(record.data() + 4) != 0) {
      refuse(file, "it is one part of several");
    }
    directory.count = load_le<uint16_t>(record.data() + 10);
    directory.size = load_le<uint32_t>(record.data() + 12);
    directory.offset = load_le<uint32_t>(record.data() + 16);
  }
  const uint64_t bound = static_cast<uint64_t>(limit);
  if (directory.offset > bound || directory.size != bound - directory.offset ||
      directory.count > directory.size / kDirectoryEntrySize) {
    refuse(file, "its directory does not fit; it may be truncated");
  }
  return directory;
}

// Walks over the directory; a field beyond its end is an error.
class DirectoryCursor {
 public:
  DirectoryCursor(const InputFile& file, const Directory& directory)
      : file_(file),
        bytes_(read_range(file, static_cast<int64_t>(directory.offset),
                          directory.size)) {}

  ZipEntry next() {
    const char* const row = take(kDirectoryEntrySize);
    if (load_le<uint32_t>(row) != kDirectoryEntry) {
      refuse(file_, "its directory is damaged");
    }
    ZipEntry entry;
    const size_t name_size = load_le<uint16_t>(row + 28);
    const size_t extra_size = load_le<uint16_t>(row + 30);
    entry.name.assign(take(name_size), name_size);
    const std::string_view extra(take(extra_size), extra_size);
    take(load_le<uint16_t>(row + 32));  // comment
    entry.method = checked_method(row, entry.name);
    entry.crc = load_le<uint32_t>(row + 16);
    Zip64Fields zip64(*this, extra, entry.name);
    entry.size = zip64.resolve(load_le<uint32_t>(row + 24));
    entry.packed_size = zip64.resolve(load_le<uint32_t>(row + 20));
    entry.header_offset = zip64.resolve(load_le<uint32_t>(row + 42));
    return entry;
  }

  bool at_end() const { return position_ == bytes_.size(); }

 private:
  // The ZIP64 field lists, in a fixed order, just the values that are
  // saturated in the plain row.
  class Zip64Fields {
   public:
    Zip64Fields(const DirectoryCursor& cursor, std::string_view extra,
                const std::string& name)
        : cursor_(cursor), name_(name) {
      while (extra.size() >= 4) {
        const uint16_t id = load_le<uint16_t>(extra.data());
        const size_t size = load_le<uint16_t>(extra.data() + 2);
        extra.remove_prefix(4);
        if (size > extra.size()) break;
        if (id == kZip64Extra) fields_ = extra.substr(0, size);
        extra.remove_prefix(size);
      }
    }

    int64_t resolve(uint32_t plain) {
      if (plain != kSaturated32) return plain;
      const uint64_t limit = static_cast<uint64_t>(cursor_.file_.size()) *
                             static_cast<uint64_t>(kMaxInflation);
      if (fields_.size() < 8 || load_le<uint64_t>(fields_.data()) > limit) {
        refuse(cursor_.file_,
               "the ZIP64 sizes of entry '" + name_ + "' are damaged");
      }
      const uint64_t value = load_le<uint64_t>(fields_.data());
      fields_.remove_prefix(8);
      return static_cast<int64_t>(value);
    }

   private:
    const DirectoryCursor& cursor_;
    const std::string& name_;
    std::string_view fields_;
  };

  const char* take(size_t size) {
    if (size > bytes_.size() - position_) {
      refuse(file_, "its directory is cut short");
    }
    position_ += size;
    return bytes_.data() + position_ - size;
  }

  ZipMethod checked_method(const char* row, const std::string& name) const {
    if (load_le<uint16_t>(row + 8) & kEncryptedFlag) {
      refuse(file_, "entry '" + name + "' is encrypted");
    }
    const ZipMethod method = ZipMethod{load_le<uint16_t>(row + 10)};
    if (method != ZipMethod::stored && method != ZipMethod::deflated) {
      refuse(file_, fmt::format("entry '{}' is packed by method {}, only 0 "
                                "(stored) and 8 (deflated) are read",
                                name, load_le<uint16_t>(row + 10)));
    }
    return method;
  }

  const InputFile& file_;
  std::string bytes_;
  size_t position_ = 0;
};

void check_size(const InputFile& file, const ZipEntry& entry) {
  const bool plausible = entry.method == ZipMethod::stored
                             ? entry.size == entry.packed_size
                             : entry.size / kMaxInflation <= entry.packed_size;
  if (!plausible) {
    refuse(file, fmt::format("entry '{}' states {} bytes, its {} packed bytes "
                             "cannot hold them",
                             entry.name, entry.size, entry.packed_size));
  }
}

// Entries that share bytes are how a small file inflates without bound.
void check_layout(const InputFile& file, const std::vector<ZipEntry>& entries,
                  int64_t directory_offset) {
  std::vector<const ZipEntry*> by_offset;
  for (const ZipEntry& entry : entries) by_offset.push_back(&entry);
  std::sort(by_offset.begin(), by_offset.end(),
            [](const ZipEntry* a, const ZipEntry* b) {
              return a->header_offset < b->header_offset;
            });
  for (size_t i = 0; i < by_offset.size(); ++i) {
    const ZipEntry& entry = *by_offset[i];
    const int64_t limit = i + 1 < by_offset.size()
                              ? by_offset[i + 1]->header_offset
                              : directory_offset;
    const int64_t header =
        static_cast<int64_t>(kLocalHeaderSize + entry.name.size());
    if (entry.packed_size > limit - header ||
        entry.header_offset > limit - header - entry.packed_size) {
      refuse(file, "entry '" + entry.name +
                       "' reaches beyond its place; the file may be truncated");
    }
  }
}

}  // namespace

ZipReader::ZipReader(const std::filesystem::path& path) : file_(path) {
  const Directory directory = find_directory(file_);
  directory_offset_ = static_cast<int64_t>(directory.offset);
  DirectoryCursor cursor(file_, directory);
  for (uint64_t i = 0; i < directory.count; ++i) {
    entries_.push_back(cursor.next());
    check_size(file_, entries_.back());
    if (!index_.emplace(entries_.back().name, entries_.size() - 1).second) {
      refuse(file_, "entry '" + entries_.back().name + "' is there twice");
    }
  }
  if (!cursor.at_end()) refuse(file_, "its directory has bytes left over");
  check_layout(file_, entries_, directory_offset_);
}

const ZipEntry* ZipReader::find(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &entries_[found->second];
}

}  // namespace ordered_gnn::core
