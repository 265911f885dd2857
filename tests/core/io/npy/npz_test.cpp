#include "core/io/npy/npz.h"

#include <torch/types.h>
#include <zlib.h>

#include <cstdlib>

#include "core/io/io_support.h"
#include "core/io/zip/zip.h"
#include "ordered_gnn/core/parallel.h"
#include "support/real_data.h"

namespace ordered_gnn::core {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class Npz : public testing::TestWithParam<NpzWriter::Compression> {
 protected:
  fs::path write_sample(const std::string& name) const {
    NpzWriter writer(dir_ / name, GetParam());
    writer.add("x", torch::arange(6, at::kFloat).view({2, 3}));
    writer.add_bytes("meta.json", "{}");
    writer.add("y", torch::tensor({true, false}));
    writer.finish();
    return dir_ / name;
  }

  static void read_all(const fs::path& path) {
    const NpzReader reader(path);
    for (const std::string& name : reader.names()) reader.read(name);
    reader.read_bytes("meta.json");
  }

  TempDir dir_;
};

TEST_P(Npz, WritesAndReadsArraysOnDemand) {
  const NpzReader reader(write_sample("x.npz"));
  EXPECT_EQ(reader.path(), dir_ / "x.npz");
  EXPECT_EQ(reader.names(), (Names{"x", "y"}));
  EXPECT_EQ(reader.entries(), (Names{"x.npy", "meta.json", "y.npy"}));
  EXPECT_TRUE(reader.contains("x"));
  EXPECT_FALSE(reader.contains("x.npy"));
  EXPECT_TRUE(torch::equal(reader.read("y"), torch::tensor({true, false})));
  EXPECT_TRUE(torch::equal(reader.read("x"),
                           torch::arange(6, at::kFloat).view({2, 3})));
  EXPECT_EQ(reader.read_bytes("meta.json"), "{}");
  EXPECT_MENTIONS(reader.read_bytes("y.npy"), "NUMPY");
}

TEST_P(Npz, LargeArraysHaveTheSameBytesOnAnyNumberOfThreads) {
  // More than a piece of a file, and no multiple of a block of a checksum.
  const int64_t size = AtomicFile::kPieceBytes / 8 + 12345;
  const at::Tensor values = torch::arange(size) * 2654435761;
  const auto write = [&](int64_t threads) {
    const ThreadScope scope(threads);
    NpzWriter writer(dir_ / "x.npz", GetParam());
    writer.add("x", values);
    writer.add("y", torch::arange(5));
    writer.finish();
    return read_file(dir_ / "x.npz");
  };
  const std::string want = write(1);
  for (const int64_t threads : {2, 3}) {
    EXPECT_TRUE(write(threads) == want) << threads << " threads";
  }
  const NpzReader reader(dir_ / "x.npz");
  EXPECT_TRUE(torch::equal(reader.read("x"), values));
  // As whoever reads it by other means sums it up.
  const std::string bytes = reader.read_bytes("x.npy");
  const ZipReader zip(dir_ / "x.npz");
  EXPECT_EQ(
      zip.find("x.npy")->crc,
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

TEST_P(Npz, WritesRowsFromDifferentPlaces) {
  const std::vector<int32_t> first = {1, 2, 3};
  const std::vector<int32_t> second = {4, 5, 6};
  const auto bytes = [](const std::vector<int32_t>& row, size_t count) {
    return std::string_view(reinterpret_cast<const char*>(row.data()),
                            count * sizeof(int32_t));
  };
  NpzWriter writer(dir_ / "x.npz", GetParam());
  writer.add_rows("x", at::kInt, 3, {bytes(first, 3), bytes(second, 3)});
  writer.add_rows("none", at::kInt, 3, {});
  EXPECT_MENTIONS(
      error_of([&] { writer.add_rows("y", at::kInt, 3, {bytes(first, 2)}); }),
      "y: a row has 8 bytes, expected 12");
  writer.finish();
  const NpzReader reader(dir_ / "x.npz");
  EXPECT_TRUE(torch::equal(reader.read("x"),
                           torch::arange(1, 7, at::kInt).view({2, 3})));
  EXPECT_EQ(reader.read("none").sizes(), (std::vector<int64_t>{0, 3}));
}

TEST_P(Npz, WritesAndReadsArraysLargerThanABlock) {
  const auto values = torch::arange(1000003).remainder(1009);
  const auto wide = values.slice(0, 0, 1000000).view({1000, 1000}).t();
  NpzWriter writer(dir_ / "x.npz", GetParam());
  writer.add("values", values);
  writer.add("wide", wide);
  writer.add("empty", torch::zeros({0, 7}));
  writer.add_bytes("bytes", std::string(20000000, 'b'));
  writer.finish();
  const NpzReader reader(dir_ / "x.npz");
  EXPECT_TRUE(torch::equal(reader.read("values"), values));
  EXPECT_TRUE(torch::equal(reader.read("wide"), wide));
  EXPECT_EQ(reader.read("empty").sizes(), (std::vector<int64_t>{0, 7}));
  EXPECT_TRUE(reader.read_bytes("bytes") == std::string(20000000, 'b'));
}

TEST_P(Npz, NamesTheArrayAndListsThoseThereAre) {
  const NpzReader reader(write_sample("x.npz"));
  EXPECT_EQ(error_of([&] { reader.read("labels"); }),
            (dir_ / "x.npz").string() + ": has no array 'labels'; it has x, y");
  EXPECT_MENTIONS(error_of([&] { reader.read_bytes("x"); }),
                  "has no entry 'x'; it has x.npy, meta.json, y.npy");
}

TEST_P(Npz, NamesFileAndEntryOfABadArray) {
  NpzWriter writer(dir_ / "x.npz", GetParam());
  writer.add_bytes("bad.npy", "no array");
  writer.finish();
  EXPECT_MENTIONS(error_of([&] { NpzReader(dir_ / "x.npz").read("bad"); }),
                  "x.npz:bad.npy: is no .npy array");
}

TEST_P(Npz, RefusesAFileCutAtAnyByte) {
  const std::string content = read_file(write_sample("x.npz"));
  io_test::expect_truncation_is_refused(dir_ / "y.npz", content, read_all);
}

TEST_P(Npz, SurvivesFlippedBits) {
  const std::string content = read_file(write_sample("x.npz"));
  EXPECT_GT(io_test::count_refused_flips(dir_ / "y.npz", content, read_all),
            700);
}

TEST_P(Npz, AppearsOnlyWhenFinished) {
  {
    NpzWriter writer(dir_ / "x.npz", GetParam());
    writer.add("x", torch::ones({3}));
    EXPECT_MENTIONS(error_of([&] { writer.add("y", at::Tensor()); }),
                    "x.npz:y: the tensor to write is undefined");
  }
  EXPECT_TRUE(dir_.names().empty());
}

INSTANTIATE_TEST_SUITE_P(StoredAndDeflated, Npz,
                         testing::Values(NpzWriter::Compression::stored,
                                         NpzWriter::Compression::deflated),
                         [](const auto& info) {
                           return info.param == NpzWriter::Compression::stored
                                      ? "Stored"
                                      : "Deflated";
                         });

TEST(NpzReader, ListsOnlySomeOfManyArrays) {
  const TempDir dir;
  NpzWriter writer(dir / "x.npz");
  for (int i = 0; i < 30; ++i)
    writer.add("a" + std::to_string(i), torch::ones({1}));
  writer.finish();
  const std::string message =
      error_of([&] { NpzReader(dir / "x.npz").read("x"); });
  EXPECT_MENTIONS(message, "a19, ...");
  NpzWriter(dir / "empty.npz").finish();
  EXPECT_MENTIONS(error_of([&] { NpzReader(dir / "empty.npz").read("x"); }),
                  "it has none");
}

TEST(NpzReader, NamesAMissingFile) {
  const TempDir dir;
  EXPECT_MENTIONS(error_of([&] { NpzReader reader(dir / "none.npz"); }),
                  "none.npz: no such file");
}

TEST(NpzReader, ReadsTheMasksThatNumPyWrote) {
  ORDERED_GNN_NEEDS_REAL_DATA();
  const fs::path path =
      real_data() / "geom-gcn/splits/texas_split_0.6_0.2_0.npz";
  const NpzReader reader(path);
  const auto count = [&](const std::string& name) {
    const at::Tensor mask = reader.read(name);
    EXPECT_EQ(mask.sizes(), (std::vector<int64_t>{183}));
    return mask.sum().item<int64_t>();
  };
  EXPECT_EQ(count("train_mask"), 87);
  EXPECT_EQ(count("val_mask"), 59);
  EXPECT_EQ(count("test_mask"), 37);
}

}  // namespace
}  // namespace ordered_gnn::core
