#include "core/io/safetensors/checksum.h"

#include <torch/types.h>

#include "core/io/io_support.h"
#include "core/io/little_endian.h"
#include "core/io/safetensors/metadata_json.h"
#include "core/io/sha256.h"
#include "support/checksum_edits.h"
#include "support/deep_json.h"

namespace ordered_gnn::core {
namespace {

TensorFile content_with_metadata() {
  TensorFile content;
  content.tensors["a"] = torch::arange(6, at::kFloat).view({2, 3});
  content.tensors["b"] = torch::tensor({true, false});
  content.metadata = {{"config", "{\"layers\": 8}"}, {"format", "f"}};
  return content;
}

TEST(TensorChecksum, IsOfTheBytesThatItsDescriptionNames) {
  TensorFile content;
  content.metadata = {{"k", "text"}};
  content.tensors["w"] = torch::tensor({1.5F, -2.0F});
  std::string bytes;
  const auto number = [&](int64_t value) { append_le(bytes, value); };
  const auto text = [&](const std::string& value) {
    number(static_cast<int64_t>(value.size()));
    bytes += value;
  };
  number(1);
  text("k");
  text("text");
  text("w");
  text("F32");
  number(1);
  number(2);
  bytes += std::string("\x00\x00\xc0\x3f\x00\x00\x00\xc0", 8);
  Sha256 hash;
  hash.update(bytes);
  EXPECT_EQ(content_sha256(content, "m"), hash.hex());
}

TEST(TensorChecksum, DiffersWithEverythingThatAFileSays) {
  const std::string before = content_sha256(content_with_metadata(), "m");
  const auto changed = [&](const auto& change) {
    TensorFile content = content_with_metadata();
    change(content);
    return content_sha256(content, "m");
  };
  EXPECT_EQ(before, changed([](TensorFile& f) {
              f.metadata[kChecksumKey] = "its own";
            }));
  EXPECT_NE(before, changed([](TensorFile& f) { f.tensors["a"][1][2] = 7; }));
  EXPECT_NE(before, changed([](TensorFile& f) {
              f.tensors["a"] = f.tensors["a"].view({3, 2});
            }));
  EXPECT_NE(before, changed([](TensorFile& f) {
              f.tensors["b"] = f.tensors["b"].to(at::kByte);
            }));
  EXPECT_NE(before, changed([](TensorFile& f) {
              f.tensors["c"] = f.tensors["b"];
              f.tensors.erase("b");
            }));
  EXPECT_NE(before, changed([](TensorFile& f) { f.metadata["x"] = ""; }));
  EXPECT_NE(before, changed([](TensorFile& f) { f.metadata.erase("format"); }));
}

TEST(TensorChecksum, IsWrittenAndVerified) {
  const TempDir dir;
  write_safetensors(dir / "m", content_with_metadata());
  const TensorFile got = read_safetensors(dir / "m");
  EXPECT_TRUE(got.is_verified);
  EXPECT_EQ(got.metadata, content_with_metadata().metadata);
  remove_checksum(dir / "m");
  const TensorFile earlier = read_safetensors(dir / "m");
  EXPECT_FALSE(earlier.is_verified);
  EXPECT_EQ(earlier.metadata, got.metadata);
}

TEST(TensorChecksum, AFlippedBitOfTheDataIsSeen) {
  const TempDir dir;
  write_safetensors(dir / "m", content_with_metadata());
  const std::string bytes = read_file(dir / "m");
  const size_t data = 8 + load_le<uint64_t>(bytes.data());
  ASSERT_EQ(bytes.size(), data + 26);
  for (size_t at = data; at < data + 24; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      write_text(dir / "m", damaged);
      EXPECT_MENTIONS(error_of([&] { read_safetensors(dir / "m"); }),
                      "m: is damaged");
    }
  }
}

TEST(TensorChecksum, AChangedMetadataIsSeen) {
  const TempDir dir;
  write_safetensors(dir / "m", content_with_metadata());
  std::string bytes = read_file(dir / "m");
  bytes.replace(bytes.find("layers"), 6, "lavers");
  write_text(dir / "m", bytes);
  EXPECT_MENTIONS(error_of([&] { read_safetensors(dir / "m"); }),
                  "m: is damaged");
}

TEST(MetadataJson, NamesFileAndKey) {
  TensorFile content;
  content.metadata = {{"good", "[1]"}, {"cut", "{"}, {"deep", deep_json()}};
  EXPECT_EQ(metadata_json(content, "good", "m"), Json::array({1}));
  EXPECT_TRUE(metadata_json(content, "none", "m").is_null());
  EXPECT_MENTIONS(error_of([&] { metadata_json(content, "cut", "m"); }),
                  "m: metadata 'cut': is no JSON");
  EXPECT_MENTIONS(error_of([&] { metadata_json(content, "deep", "m"); }),
                  "m: metadata 'deep': is nested deeper than 64 levels");
}

}  // namespace
}  // namespace ordered_gnn::core
