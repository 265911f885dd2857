// Small files that unpack to much, read with little memory to take.
#include <gtest/gtest.h>
#include <torch/types.h>
#include <zlib.h>

#include "core/io/file.h"
#include "core/io/gzip_input.h"
#include "core/io/npy/npz.h"
#include "core/io/pickle/pickle.h"
#include "core/io/tensor_memory.h"
#include "core/io/text/text.h"
#include "support/errors.h"
#include "support/little_memory.h"
#include "support/temp_dir.h"

namespace ordered_gnn::core {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kMuch = 96 * kMiB;
constexpr int64_t kLittle = 32 * kMiB;

class Bombs : public ::testing::Test {
 protected:
  // `line` over and over, gzipped.
  std::filesystem::path gzip_of(const std::string& line) const {
    const std::filesystem::path file = dir_ / "bomb.gz";
    std::string block;
    while (static_cast<int64_t>(block.size()) < kMiB) block += line;
    gzFile out = gzopen(file.c_str(), "wb1");
    for (int64_t written = 0; written < kMuch;
         written += static_cast<int64_t>(block.size())) {
      gzwrite(out, block.data(), static_cast<unsigned>(block.size()));
    }
    gzclose(out);
    EXPECT_LT(static_cast<int64_t>(std::filesystem::file_size(file)), kMiB);
    return file;
  }

  // The message of a read that takes little memory, whatever happens.
  template <typename Read>
  static std::string refusal(const Read& read) {
    const LittleMemory little(kLittle);
    const bool counts = reset_peak_memory();
    const int64_t before = resident_memory_bytes();
    const std::string message = error_of(read);
    if (counts) {
      EXPECT_LT(peak_memory_bytes() - before, kLittle + 24 * kMiB);
    }
    EXPECT_TRUE(contains(message, "--max-memory"));
    return message;
  }

  TempDir dir_;
};

TEST_F(Bombs, AnArrayOfAZipFileIsRefusedByItsSize) {
  const auto file = dir_ / "a.npz";
  {
    NpzWriter out(file, NpzWriter::Compression::deflated);
    out.add("x", torch::zeros({kMuch}, at::kByte));
    out.add_bytes("meta.json", std::string(static_cast<size_t>(kMuch), ' '));
    out.finish();
  }
  release_recycled_memory();
  const NpzReader archive(file);
  EXPECT_TRUE(contains(refusal([&] { archive.read("x"); }),
                       "a.npz:x.npy: an array of 100663296 elements takes "
                       "100.7 MB, but --max-memory"));
  EXPECT_TRUE(contains(refusal([&] { archive.read_bytes("meta.json"); }),
                       "a.npz:meta.json: what it unpacks to takes 100.7 MB"));
}

TEST_F(Bombs, AConversionIsRefusedByItsSize) {
  const at::Tensor bytes = torch::zeros({16 * kMiB}, at::kByte);
  EXPECT_TRUE(
      contains(refusal([&] { converted(bytes, at::kLong, "a.npz:edges"); }),
               "a.npz:edges: an array of 16777216 elements takes 134.2 MB"));
  EXPECT_TRUE(converted(bytes, at::kByte, "x").is_same(bytes));
  EXPECT_EQ(converted(torch::ones({2}, at::kByte), at::kLong, "x")
                .sum()
                .item<int64_t>(),
            2);
}

TEST_F(Bombs, LinesAreReadWhileMemoryIsLeft) {
  const auto file = gzip_of("0,1\n");
  std::vector<std::pair<int64_t, int64_t>> kept;
  const std::string message = refusal([&] {
    LineReader reader(file);
    std::string_view line;
    while (reader.next(line)) kept.emplace_back(0, 1);
  });
  EXPECT_TRUE(contains(message, "bomb.gz:"));
  EXPECT_TRUE(contains(message, "the text from here on takes"));
  // A reader that keeps nothing reads it all.
  const LittleMemory little(kLittle);
  LineReader reader(file);
  std::string_view line;
  int64_t lines = 0;
  while (reader.next(line)) ++lines;
  EXPECT_EQ(lines, kMuch / 4);
}

TEST_F(Bombs, ALineThatDoesNotEndIsRefused) {
  const auto file = gzip_of("0");
  EXPECT_TRUE(contains(refusal([&] {
                         LineReader reader(file);
                         std::string_view line;
                         reader.next(line);
                       }),
                       "bomb.gz:0: a line that goes on takes"));
}

TEST_F(Bombs, AFileThatIsReadWholeIsRefused) {
  const auto file = gzip_of("text ");
  EXPECT_TRUE(
      contains(refusal([&] { read_plain_or_gzipped(file, int64_t{1} << 30); }),
               "bomb.gz: what it unpacks to takes"));
  write_text(dir_ / "plain", std::string(static_cast<size_t>(kMuch), 'x'));
  EXPECT_TRUE(contains(refusal([&] { read_file(dir_ / "plain"); }),
                       "plain: its content takes 100.7 MB"));
}

TEST_F(Bombs, APickleOfEmptyListsIsRefused) {
  const std::string bytes =
      "\x80\x02(" + std::string(size_t{4} << 20, ']') + "t.";
  EXPECT_TRUE(contains(refusal([&] { parse_pickle(bytes, "graph"); }),
                       "graph: what the pickle holds from here on takes"));
}

}  // namespace
}  // namespace ordered_gnn::core
