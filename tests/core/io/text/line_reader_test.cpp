#include <sys/stat.h>
#include <zlib.h>

#include <fstream>
#include <thread>

#include "core/io/io_support.h"
#include "core/io/text/text.h"

namespace ordered_gnn::core {
namespace {

using Lines = std::vector<std::string>;

std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Lines read_lines(const std::filesystem::path& path) {
  LineReader reader(path);
  Lines lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

Lines lines_of(const std::string& content) {
  const TempDir dir;
  write_file(dir / "text", content);
  return read_lines(dir / "text");
}

TEST(LineReader, SplitsAtUnixAndDosLineEnds) {
  EXPECT_EQ(lines_of("a\nb\r\n\nc\n"), (Lines{"a", "b", "", "c"}));
}

TEST(LineReader, ReadsALastLineWithoutEnd) {
  EXPECT_EQ(lines_of("a\nb"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\nb\r"), (Lines{"a", "b"}));
}

TEST(LineReader, GivesNothingForAnEmptyFile) {
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of(gzipped("")), Lines{});
  EXPECT_EQ(lines_of("\n"), Lines{""});
}

TEST(LineReader, KeepsCarriageReturnsInsideALine) {
  EXPECT_EQ(lines_of("a\rb\n"), Lines{"a\rb"});
  EXPECT_EQ(lines_of("a\r\r\n"), Lines{"a\r"});
}

TEST(LineReader, DropsAByteOrderMarkOnlyAtTheStart) {
  EXPECT_EQ(lines_of("\xEF\xBB\xBFx\n\xEF\xBB\xBFy\n"),
            (Lines{"x", "\xEF\xBB\xBFy"}));
}

TEST(LineReader, CountsLinesFromOne) {
  const TempDir dir;
  write_file(dir / "text", "a\n\nb\n");
  LineReader reader(dir / "text");
  std::string_view line;
  for (int64_t number = 1; reader.next(line); ++number) {
    EXPECT_EQ(reader.place().line, number);
    EXPECT_EQ(reader.place().file, dir / "text");
  }
  EXPECT_EQ(reader.place().line, 3);
  EXPECT_FALSE(reader.next(line));
}

// Lines of growing length put line ends on every side of a block border.
TEST(LineReader, JoinsLinesCutByBlocksPlainOrGzipped) {
  Lines want;
  std::string text;
  for (size_t i = 0; i < 3000; ++i) {
    want.push_back(std::string(i % 701, static_cast<char>('a' + i % 26)));
    text += want.back() + (i % 3 == 0 ? "\r\n" : "\n");
  }
  want.push_back(std::string(700000, 'z'));
  text += want.back();
  EXPECT_EQ(lines_of(text), want);
  EXPECT_EQ(lines_of(gzipped(text)), want);
}

TEST(LineReader, ReadsGzipOfSeveralMembersAndZeroPadding) {
  const std::string two = gzipped("a\nb") + gzipped("c\n") + gzipped("");
  EXPECT_EQ(lines_of(two), (Lines{"a", "bc"}));
  EXPECT_EQ(lines_of(two + std::string(600000, '\0')), (Lines{"a", "bc"}));
}

TEST(LineReader, RefusesGarbageAfterGzipData) {
  EXPECT_MENTIONS(error_of([] { lines_of(gzipped("a\n") + "junk"); }),
                  "damaged gzip data");
  const std::string padded = gzipped("a\n") + std::string(300000, '\0') + "j";
  EXPECT_MENTIONS(error_of([&] { lines_of(padded); }), "garbage after");
}

TEST(LineReader, RefusesGzipCutAtAnyByte) {
  const TempDir dir;
  const std::string content = gzipped("one,two\nthree\n") + gzipped("four\n");
  const size_t first_member = gzipped("one,two\nthree\n").size();
  const auto read = [&](const std::filesystem::path& path) {
    // Cut between its members the file is a whole gzip file of one.
    if (std::filesystem::file_size(path) == first_member) {
      fail_in(path, "is complete");
    }
    read_lines(path);
  };
  io_test::expect_truncation_is_refused(dir / "x.gz", content, read, 2);
  write_file(dir / "x.gz", content.substr(0, content.size() - 1));
  EXPECT_MENTIONS(error_of([&] { read_lines(dir / "x.gz"); }),
                  "x.gz: is truncated gzip data");
}

TEST(LineReader, SurvivesFlippedBitsInGzipData) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 40; ++i) text += std::to_string(i * i) + ",x\n";
  const int refused = io_test::count_refused_flips(
      dir / "x.gz", gzipped(text),
      [](const std::filesystem::path& path) { read_lines(path); });
  // The checksum finds what the format does not; only the unused fields of the
  // gzip header and its first bytes (then plain text) may change unseen.
  EXPECT_GT(refused, 800);
}

TEST(LineReader, RefusesANulByteNamingTheLine) {
  EXPECT_MENTIONS(error_of([] { lines_of(std::string("a\nb\0c\n", 6)); }),
                  "text:2: the line has a NUL byte");
}

TEST(LineReader, RefusesALineBeyondItsBound) {
  const TempDir dir;
  write_file(dir / "text", "ab\n" + std::string(1000000, 'x') + "\n");
  LineReader reader(dir / "text", 999999);
  std::string_view line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_MENTIONS(error_of([&] { reader.next(line); }),
                  "text:2: the line has more than 999999 bytes");
  LineReader roomy(dir / "text", 1000000);
  EXPECT_TRUE(roomy.next(line));
  EXPECT_TRUE(roomy.next(line));
  EXPECT_EQ(line.size(), 1000000u);
}

TEST(LineReader, RefusesAGzipFileThatInflatesToOneEndlessLine) {
  const TempDir dir;
  write_file(dir / "text", gzipped(std::string((1 << 28) + 1, 'x')));
  EXPECT_MENTIONS(error_of([&] { read_lines(dir / "text"); }),
                  "text:1: the line has more than 268435456 bytes");
}

TEST(LineReader, NamesAMissingFileAndAFolder) {
  const TempDir dir;
  EXPECT_MENTIONS(error_of([&] { LineReader reader(dir / "none.csv"); }),
                  "none.csv: no such file");
  EXPECT_MENTIONS(error_of([&] { LineReader reader(dir.path()); }),
                  "is a folder");
}

TEST(LineReader, ReadsAPipeThatDeliversByteByByte) {
  const TempDir dir;
  const std::filesystem::path pipe = dir / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream out(pipe, std::ios::binary);
    for (const char byte : gzipped("slow\nbut sure\n"))
      out << byte << std::flush;
  });
  Lines lines;
  EXPECT_NO_THROW(lines = read_lines(pipe));
  writer.join();
  EXPECT_EQ(lines, (Lines{"slow", "but sure"}));
}

}  // namespace
}  // namespace ordered_gnn::core
