#include <zlib.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/io/little_endian.h"
#include "core/io/zip/format.h"
#include "fuzz/mutators/mutators.h"

namespace ordered_gnn::fuzz {
namespace {

using namespace core::zip_format;
using core::append_le;
using core::load_le;

struct Packed {
  std::string name;
  uint16_t flags = 0;
  uint16_t method = 0;
  uint32_t crc = 0;
  uint32_t size = 0;
  std::string bytes;  // as they are in the file
};

// The entry whose row of the directory is at `row`; false when it is not all
// there.
bool read_entry(std::string_view zip, std::string_view row, Packed& out) {
  // Sizes are in the headers of what is written, not behind the content.
  out.flags = load_le<uint16_t>(row.data() + 8) & ~kDescriptorFlag;
  out.method = load_le<uint16_t>(row.data() + 10);
  out.crc = load_le<uint32_t>(row.data() + 16);
  const size_t packed = load_le<uint32_t>(row.data() + 20);
  out.size = load_le<uint32_t>(row.data() + 24);
  out.name =
      row.substr(kDirectoryEntrySize, load_le<uint16_t>(row.data() + 28));
  const size_t local = load_le<uint32_t>(row.data() + 42);
  if (local > zip.size() || zip.size() - local < kLocalHeaderSize) return false;
  const size_t begin = local + kLocalHeaderSize +
                       load_le<uint16_t>(zip.data() + local + 26) +
                       load_le<uint16_t>(zip.data() + local + 28);
  if (begin > zip.size() || packed > zip.size() - begin) return false;
  out.bytes = zip.substr(begin, packed);
  return true;
}

// What of an archive can be read without checking anything.
std::vector<Packed> read_entries(std::string_view zip) {
  constexpr size_t kMost = 20;
  std::string mark;
  append_le(mark, kDirectoryEntry);
  std::vector<Packed> entries;
  size_t at = zip.find(mark);
  while (at != std::string_view::npos && entries.size() < kMost &&
         zip.size() - at >= kDirectoryEntrySize) {
    Packed entry;
    if (read_entry(zip, zip.substr(at), entry)) entries.push_back(entry);
    at = zip.find(mark, at + kDirectoryEntrySize);
  }
  return entries;
}

void set_content(Packed& entry, std::string content) {
  entry.method = 0;
  entry.size = static_cast<uint32_t>(content.size());
  entry.crc = static_cast<uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(content.data()), entry.size));
  entry.bytes = std::move(content);
}

// Where stored it is the content that changes, where packed the packed bytes.
void mutate_content(Packed& entry, Dice& dice) {
  std::string content = entry.bytes;
  if (content.empty() || dice.once_in(4)) content += '\xff';
  char& byte = content[dice.below(content.size())];
  byte = dice.once_in(2) ? static_cast<char>(byte ^ 1 << dice.below(8))
                         : static_cast<char>(dice.extreme());
  if (dice.once_in(8)) content.resize(content.size() / 2);
  if (entry.method == 0) {
    set_content(entry, std::move(content));
  } else {
    entry.bytes = std::move(content);
  }
}

void mutate_name(Packed& entry, Dice& dice) {
  const std::vector<std::string> kNames = {
      "",          "../x",          "/x",    "a/../../x",
      "x.npy",     "x.npy",         "a\\b/", std::string(1, '\0'),
      "meta.json", entry.name + "/"};
  entry.name = kNames[dice.below(kNames.size())];
}

void mutate_entries(std::vector<Packed>& entries, Dice& dice) {
  Packed& entry = entries[dice.below(entries.size())];
  switch (dice.below(5)) {
    case 0:
      std::swap(entry, entries.back());
      break;
    case 1:
      entries.push_back(entries[dice.below(entries.size())]);
      break;
    case 2:
      mutate_name(entry, dice);
      break;
    default:
      mutate_content(entry, dice);
  }
}

// The fields that a local header and a row of the directory have in common.
void append_common(std::string& out, const Packed& entry) {
  append_le(out, kPlainVersion);
  append_le(out, entry.flags);
  append_le(out, entry.method);
  append_le(out, kNoTime);
  append_le(out, kFirstDate);
  append_le(out, entry.crc);
  append_le(out, static_cast<uint32_t>(entry.bytes.size()));
  append_le(out, entry.size);
  append_le(out, static_cast<uint16_t>(entry.name.size()));
  append_le(out, uint16_t{0});  // extra fields
}

std::string archive_of(const std::vector<Packed>& entries,
                       std::vector<std::pair<size_t, size_t>>& headers) {
  std::string out, directory;
  for (const Packed& entry : entries) {
    append_le(directory, kDirectoryEntry);
    append_le(directory, kPlainVersion);
    append_common(directory, entry);
    directory.append(10, '\0');  // comment, disk, attributes
    append_le(directory, static_cast<uint32_t>(out.size()));
    directory += entry.name;
    headers.emplace_back(out.size(), kLocalHeaderSize);
    append_le(out, kLocalHeader);
    append_common(out, entry);
    out += entry.name + entry.bytes;
  }
  const size_t begin = out.size();
  headers.emplace_back(begin, directory.size());
  out += directory;
  headers.emplace_back(out.size(), kEndSize);
  append_le(out, kEnd);
  append_le(out, uint32_t{0});  // disks
  append_le(out, static_cast<uint16_t>(entries.size()));
  append_le(out, static_cast<uint16_t>(entries.size()));
  append_le(out, static_cast<uint32_t>(directory.size()));
  append_le(out, static_cast<uint32_t>(begin));
  append_le(out, uint16_t{0});
  return out;
}

// Another number of two or four bytes in one of the headers.
void mutate_field(std::string& zip,
                  const std::vector<std::pair<size_t, size_t>>& headers,
                  Dice& dice) {
  const auto [begin, size] = headers[dice.below(headers.size())];
  const size_t width = dice.once_in(2) ? 2 : 4;
  std::string number;
  append_le(number, dice.extreme());
  const size_t at = begin + 2 * dice.below((size - width) / 2 + 1);
  zip.replace(at, width, number, 0, width);
}

}  // namespace

std::string mutate_zip(std::string_view input, Dice& dice) {
  std::vector<Packed> entries = read_entries(input);
  if (entries.empty()) return "";
  mutate_entries(entries, dice);
  std::vector<std::pair<size_t, size_t>> headers;
  std::string out = archive_of(entries, headers);
  if (dice.once_in(2)) mutate_field(out, headers, dice);
  return out;
}

}  // namespace ordered_gnn::fuzz
