#include "core/io/zip/zip.h"

#include <algorithm>
#include <cstring>

#include "core/io/io_support.h"
#include "core/io/little_endian.h"
#include "core/io/zip/format.h"

namespace ordered_gnn::core {
namespace {

namespace fs = std::filesystem;
constexpr auto kStored = ZipMethod::stored;
constexpr auto kDeflated = ZipMethod::deflated;

std::string read_entry(const ZipReader& zip, const ZipEntry& entry) {
  const auto source = zip.open(entry);
  std::string bytes(static_cast<size_t>(source->remaining()), '\0');
  source->read(bytes.data(), source->remaining());
  source->finish();
  return bytes;
}

std::string read_entry(const fs::path& path, const std::string& name) {
  const ZipReader zip(path);
  const ZipEntry* const entry = zip.find(name);
  return entry == nullptr ? "no such entry" : read_entry(zip, *entry);
}

void read_all(const fs::path& path) {
  const ZipReader zip(path);
  for (const ZipEntry& entry : zip.entries()) read_entry(zip, entry);
}

std::string some_text() {
  std::string text;
  for (int i = 0; i < 200; ++i) text += std::to_string(i * i) + " ";
  return text;
}

// The bytes of a zip file with one entry "a" of some_text().
std::string one_entry(ZipMethod method, const std::string& content) {
  const TempDir dir;
  ZipWriter zip(dir / "x.zip");
  zip.add("a", method, {content});
  zip.finish();
  return read_file(dir / "x.zip");
}

// Overwrites a field of the directory row of a one-entry file.
template <typename T>
std::string with_field(std::string bytes, size_t offset, T value) {
  std::string row_start;
  append_le(row_start, zip_format::kDirectoryEntry);
  const size_t row = bytes.rfind(row_start);
  std::memcpy(bytes.data() + row + offset, &value, sizeof(value));
  return bytes;
}

std::string zip_error(const std::string& bytes) {
  const TempDir dir;
  write_file(dir / "x.zip", bytes);
  return error_of([&] { read_all(dir / "x.zip"); });
}

TEST(Zip, WritesAndReadsStoredAndDeflatedEntries) {
  const TempDir dir;
  const std::string text = some_text();
  ZipWriter writer(dir / "x.zip");
  writer.add("stored", kStored, {text});
  writer.add("deflated", kDeflated, {text, text});
  writer.add("empty", kStored, {""});
  writer.add("empty too", kDeflated, {});
  writer.add("folder/größe", kDeflated, {"x"});
  writer.finish();
  const ZipReader reader(dir / "x.zip");
  ASSERT_EQ(reader.entries().size(), 5u);
  EXPECT_EQ(reader.entries()[1].name, "deflated");
  EXPECT_LT(reader.entries()[1].packed_size, reader.entries()[1].size);
  EXPECT_EQ(read_entry(dir / "x.zip", "stored"), text);
  EXPECT_EQ(read_entry(dir / "x.zip", "deflated"), text + text);
  EXPECT_EQ(read_entry(dir / "x.zip", "empty"), "");
  EXPECT_EQ(read_entry(dir / "x.zip", "empty too"), "");
  EXPECT_EQ(read_entry(dir / "x.zip", "folder/größe"), "x");
  EXPECT_EQ(reader.find("none"), nullptr);
}

TEST(Zip, WritesAndReadsAFileWithoutEntries) {
  const TempDir dir;
  ZipWriter(dir / "x.zip").finish();
  EXPECT_EQ(fs::file_size(dir / "x.zip"), zip_format::kEndSize);
  EXPECT_TRUE(ZipReader(dir / "x.zip").entries().empty());
}

// Several blocks, read in pieces that do not end with them.
TEST(Zip, ReadsALargeEntryInUnevenPieces) {
  const TempDir dir;
  std::string content(5000001, '\0');
  for (size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>(i * i >> 7);
  }
  for (const ZipMethod method : {kStored, kDeflated}) {
    write_file(dir / "x.zip", one_entry(method, content));
    const ZipReader zip(dir / "x.zip");
    const auto source = zip.open(zip.entries()[0]);
    std::string got(content.size(), '\0');
    int64_t done = 0;
    for (int64_t size = 1; source->remaining() > 0; size = size * 7 + 1) {
      const int64_t step = std::min(size, source->remaining());
      source->read(got.data() + done, step);
      done += step;
    }
    source->finish();
    EXPECT_TRUE(got == content);
  }
}

// Deflate may end in bits that the inflater already holds when the last byte
// comes out.
TEST(Zip, FindsTheEndOfDeflatedDataOfAnyLength) {
  const TempDir dir;
  ZipWriter writer(dir / "x.zip");
  std::vector<std::string> contents;
  for (size_t size = 0; size < 400; ++size) {
    contents.push_back(std::string(size * 7, 'a'));
    contents.push_back(some_text().substr(0, size));
  }
  for (size_t i = 0; i < contents.size(); ++i) {
    writer.add(std::to_string(i), kDeflated, {contents[i]});
  }
  writer.finish();
  const ZipReader reader(dir / "x.zip");
  for (size_t i = 0; i < contents.size(); ++i) {
    EXPECT_EQ(read_entry(reader, reader.entries()[i]), contents[i]);
  }
}

TEST(Zip, WritesTheSameBytesForTheSameContent) {
  EXPECT_EQ(one_entry(kDeflated, some_text()),
            one_entry(kDeflated, some_text()));
}

TEST(Zip, UsesZip64OnlyWhenAskedTo) {
  const TempDir dir;
  const std::string text = some_text();
  const auto write = [&](uint64_t zip64_from) {
    ZipWriter writer(dir / "x.zip", zip64_from);
    writer.add("a", kStored, {text});
    writer.add("b", kDeflated, {text});
    writer.finish();
    return fs::file_size(dir / "x.zip");
  };
  const auto plain_size = write(0xFFFFFFFF);
  // From 1 on every size and offset but the first takes the long form; from
  // 1000 on only some do.
  for (const uint64_t zip64_from : {1, 100, 1000}) {
    EXPECT_GT(write(zip64_from), plain_size);
    EXPECT_EQ(read_entry(dir / "x.zip", "a"), text);
    EXPECT_EQ(read_entry(dir / "x.zip", "b"), text);
  }
}

TEST(Zip, TakesMoreEntriesThanSixteenBitsCount) {
  const TempDir dir;
  ZipWriter writer(dir / "x.zip");
  for (int i = 0; i < 66000; ++i) {
    writer.add(std::to_string(i), kStored, {"x"});
  }
  writer.finish();
  const ZipReader reader(dir / "x.zip");
  ASSERT_EQ(reader.entries().size(), 66000u);
  EXPECT_EQ(read_entry(reader, reader.entries()[65999]), "x");
}

TEST(Zip, ReadsAFileWithAComment) {
  const TempDir dir;
  std::string bytes = one_entry(kStored, "text");
  const std::string comment = "PK\5\6 is how a directory ends";
  bytes[bytes.size() - 2] = static_cast<char>(comment.size());
  write_file(dir / "x.zip", bytes + comment);
  EXPECT_EQ(read_entry(dir / "x.zip", "a"), "text");
}

TEST(Zip, RefusesAFileThatIsNoZip) {
  EXPECT_MENTIONS(zip_error(""), "it is too short");
  EXPECT_MENTIONS(zip_error(std::string(100, 'x')), "no directory at its end");
}

TEST(Zip, RefusesEncryptedEntries) {
  EXPECT_MENTIONS(
      zip_error(with_field(one_entry(kStored, "text"), 8, uint16_t{1})),
      "entry 'a' is encrypted");
}

TEST(Zip, RefusesOtherMethods) {
  EXPECT_MENTIONS(
      zip_error(with_field(one_entry(kStored, "text"), 10, uint16_t{12})),
      "entry 'a' is packed by method 12");
}

TEST(Zip, RefusesAWrongChecksum) {
  for (const ZipMethod method : {kStored, kDeflated}) {
    EXPECT_MENTIONS(
        zip_error(with_field(one_entry(method, "text"), 16, uint32_t{1})),
        "x.zip:a: the checksum differs");
  }
}

TEST(Zip, RefusesAnEntryThatLiesAboutItsSize) {
  const std::string text = some_text();
  const uint32_t size = static_cast<uint32_t>(text.size());
  const std::string stored = one_entry(kStored, text);
  const std::string deflated = one_entry(kDeflated, text);
  EXPECT_MENTIONS(zip_error(with_field(deflated, 24, size + 1)),
                  "inflates to fewer bytes than the directory states");
  EXPECT_MENTIONS(zip_error(with_field(deflated, 24, size - 1)),
                  "inflates to more bytes than the directory states");
  EXPECT_MENTIONS(zip_error(with_field(stored, 24, size + 1)), "cannot hold");
  EXPECT_MENTIONS(zip_error(with_field(stored, 24, size - 1)), "cannot hold");
}

// The claim is refused from the directory alone, before memory is taken.
TEST(Zip, RefusesASizeThatNoDeflatedDataCanReach) {
  const std::string deflated = one_entry(kDeflated, some_text());
  EXPECT_MENTIONS(zip_error(with_field(deflated, 24, uint32_t{2000000000})),
                  "states 2000000000 bytes");
  EXPECT_MENTIONS(zip_error(with_field(deflated, 24, uint32_t{0xFFFFFFFF})),
                  "ZIP64 sizes of entry 'a' are damaged");
}

TEST(Zip, RefusesAPackedSizeThatIsWrong) {
  const std::string text = some_text();
  const std::string deflated = one_entry(kDeflated, text);
  EXPECT_MENTIONS(zip_error(with_field(deflated, 20, uint32_t{200})),
                  "truncated deflated data");
  EXPECT_MENTIONS(zip_error(with_field(deflated, 20, uint32_t{100000})),
                  "reaches beyond its place");
  const ZipEntry entry = [&] {
    const TempDir dir;
    write_file(dir / "x.zip", deflated);
    return ZipReader(dir / "x.zip").entries()[0];
  }();
  EXPECT_MENTIONS(
      zip_error(with_field(deflated, 20,
                           static_cast<uint32_t>(entry.packed_size + 3))),
      "bytes left after its deflated data");
}

TEST(Zip, RefusesEntriesThatShareBytes) {
  const TempDir dir;
  ZipWriter writer(dir / "x.zip");
  writer.add("a", kStored, {some_text()});
  writer.add("b", kStored, {some_text()});
  writer.finish();
  // Points "b" to the header of "a".
  write_file(dir / "x.zip",
             with_field(read_file(dir / "x.zip"), 42, uint32_t{0}));
  EXPECT_MENTIONS(error_of([&] { ZipReader zip(dir / "x.zip"); }),
                  "reaches beyond its place");
}

TEST(Zip, RefusesADirectoryThatPointsElsewhere) {
  EXPECT_MENTIONS(
      zip_error(with_field(one_entry(kStored, "text"), 42, uint32_t{1})),
      "reaches beyond its place");
  std::string bytes = one_entry(kStored, "text");
  bytes[0] = 'Q';
  EXPECT_MENTIONS(zip_error(bytes), "its header differs from the directory");
}

TEST(Zip, RefusesANameThatIsThereTwice) {
  const TempDir dir;
  ZipWriter writer(dir / "x.zip");
  writer.add("a", kStored, {"1"});
  writer.add("b", kStored, {"2"});
  EXPECT_MENTIONS(error_of([&] { writer.add("a", kStored, {"3"}); }),
                  "entry 'a' is added twice");
  writer.finish();
  std::string bytes = read_file(dir / "x.zip");
  bytes[bytes.rfind('b')] = 'a';
  EXPECT_MENTIONS(zip_error(bytes), "entry 'a' is there twice");
}

TEST(Zip, RefusesNamesThatDoNotFit) {
  const TempDir dir;
  ZipWriter writer(dir / "x.zip");
  EXPECT_MENTIONS(error_of([&] { writer.add("", kStored, {}); }), "1 to 65535");
  EXPECT_MENTIONS(
      error_of([&] { writer.add(std::string(65536, 'n'), kStored, {}); }),
      "1 to 65535");
}

TEST(Zip, LeavesNothingWhenItIsNotFinished) {
  const TempDir dir;
  {
    ZipWriter writer(dir / "x.zip");
    writer.add("a", kStored, {"1"});
  }
  EXPECT_TRUE(dir.names().empty());
}

class ZipDamage : public testing::TestWithParam<uint64_t> {
 protected:
  std::string bytes() const {
    const TempDir dir;
    ZipWriter writer(dir / "x.zip", GetParam());
    writer.add("a", kStored, {"some text"});
    writer.add("b", kDeflated, {some_text()});
    writer.finish();
    return read_file(dir / "x.zip");
  }
};

TEST_P(ZipDamage, IsRefusedWhenCutAtAnyByte) {
  const TempDir dir;
  io_test::expect_truncation_is_refused(dir / "x.zip", bytes(), read_all);
}

TEST_P(ZipDamage, SurvivesFlippedBits) {
  const TempDir dir;
  const int refused =
      io_test::count_refused_flips(dir / "x.zip", bytes(), read_all);
  EXPECT_GT(refused, 700);  // times, versions and the like are not looked at
}

INSTANTIATE_TEST_SUITE_P(PlainAndZip64, ZipDamage,
                         testing::Values(uint64_t{0xFFFFFFFF}, uint64_t{1}),
                         [](const auto& info) {
                           return info.param == 1 ? "Zip64" : "Plain";
                         });

}  // namespace
}  // namespace ordered_gnn::core
