#include "data/fetch/checksums.h"

#include <gtest/gtest.h>

#include <mutex>

#include "core/io/sha256.h"
#include "data/data_support.h"

namespace ordered_gnn::data {
namespace {

// SHA-256 of nothing and of "abc" (FIPS 180-4 examples).
const std::string kEmptySum =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const std::string kAbcSum =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(c));
  return text;
}

std::string error_of_list(const std::string& text) {
  const TempDir dir;
  write_text(dir / "SHA256SUMS", text);
  return error_of([&] { read_checksums(dir / "SHA256SUMS"); });
}

TEST(ReadChecksums, ReadsTextAndBinaryLinesCommentsAndBlanks) {
  const TempDir dir;
  write_text(dir / "SHA256SUMS", "# made by hand\n\n" + kAbcSum +
                                     "  a/b c.txt\r\n" + upper(kEmptySum) +
                                     " *empty.bin\n");
  const std::vector<ChecksumLine> lines = read_checksums(dir / "SHA256SUMS");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].path, "a/b c.txt");
  EXPECT_EQ(lines[0].sha256, kAbcSum);
  EXPECT_EQ(lines[1].path, "empty.bin");
  EXPECT_EQ(lines[1].sha256, kEmptySum);
}

TEST(ReadChecksums, RefusesOtherLinesAtTheirPlace) {
  const std::string good = kAbcSum + "  a\n";
  for (const std::string& bad :
       {std::string("hello"), kAbcSum, kAbcSum + " a", kAbcSum + "  ",
        kAbcSum.substr(1) + "  a", "g" + kAbcSum.substr(1) + "  a",
        kAbcSum + "\ta"}) {
    EXPECT_TRUE(contains(error_of_list(good + bad + "\n"),
                         "SHA256SUMS:2: expected 64 hexadecimal digits"))
        << bad;
  }
}

TEST(ReadChecksums, RefusesPathsThatLeadOut) {
  for (const char* path :
       {"/etc/passwd", "../a", "a/../../b", "a/..", "..", "a\\b"}) {
    const std::string error = error_of_list(kAbcSum + "  " + path + "\n");
    EXPECT_TRUE(contains(error, "SHA256SUMS:1: the path")) << path;
    EXPECT_TRUE(contains(error, "leads out")) << path;
  }
  EXPECT_EQ(error_of_list(kAbcSum + "  a..b/..c\n"), "");
}

TEST(ReadChecksums, MissingListIsAnError) {
  EXPECT_TRUE(contains(error_of([] { read_checksums("/nowhere/SHA256SUMS"); }),
                       "/nowhere/SHA256SUMS"));
}

TEST(VerifyChecksums, TellsTheFourStatesInTheOrderOfTheList) {
  const TempDir dir;
  write_text(dir / "right", "abc");
  write_text(dir / "deep" / "differs", "abd");
  std::filesystem::create_directories(dir / "folder");
  int64_t last = 0, calls = 0;
  const std::vector<CheckedFile> files =
      verify_checksums(dir.path(),
                       {{"deep/differs", kAbcSum},
                        {"missing", kAbcSum},
                        {"right", kAbcSum},
                        {"folder", kAbcSum}},
                       [&](int64_t done, int64_t total) {
                         EXPECT_EQ(done, last + 1);
                         EXPECT_EQ(total, 4);
                         last = done;
                         ++calls;
                       });
  ASSERT_EQ(files.size(), 4u);
  EXPECT_EQ(files[0].state, FileState::differs);
  EXPECT_EQ(files[0].found, core::sha256_of_file(dir / "deep" / "differs"));
  EXPECT_EQ(files[1].state, FileState::missing);
  EXPECT_EQ(files[2].state, FileState::right);
  EXPECT_EQ(files[2].found, kAbcSum);
  EXPECT_EQ(files[3].state, FileState::unreadable);
  EXPECT_TRUE(contains(files[3].problem, "folder"));
  EXPECT_EQ(calls, 4);
}

TEST(VerifyChecksums, EmptyListIsFine) {
  EXPECT_TRUE(verify_checksums("/nowhere", {}).empty());
}

TEST(VerifyChecksums, TheRealFilesAreRight) {
  ORDERED_GNN_NEEDS_REAL_DATA();
  const auto lines = read_checksums(real_data() / "SHA256SUMS");
  EXPECT_GT(lines.size(), 100u);
  for (const CheckedFile& file : verify_checksums(real_data(), lines)) {
    EXPECT_EQ(file.state, FileState::right) << file.path;
  }
}

}  // namespace
}  // namespace ordered_gnn::data
