#include "core/io/safetensors/safetensors.h"

#include <torch/types.h>

#include "core/io/io_support.h"
#include "core/io/little_endian.h"

namespace ordered_gnn::core {
namespace {

namespace fs = std::filesystem;
std::string with_header(const std::string& json, const std::string& data = "") {
  std::string bytes;
  append_le(bytes, static_cast<uint64_t>(json.size()));
  return bytes + json + data;
}

std::string error_for(const std::string& json, const std::string& data = "") {
  const TempDir dir;
  write_file(dir / "m.safetensors", with_header(json, data));
  const std::string message =
      error_of([&] { read_safetensors(dir / "m.safetensors"); });
  EXPECT_MENTIONS(message, "m.safetensors: ");
  return message;
}

TensorFile sample() {
  TensorFile content;
  content.tensors["layers.0.gate.weight"] =
      torch::arange(6, at::kFloat).view({2, 3});
  content.tensors["flag"] = torch::tensor({true, false, true});
  content.metadata["config"] = "{\"layers\": 8}";
  return content;
}

TEST(Safetensors, WritesAndReadsEveryType) {
  const TempDir dir;
  TensorFile content;
  for (const at::ScalarType dtype :
       {at::kBool, at::kByte, at::kChar, at::kShort, at::kInt, at::kLong,
        at::kHalf, at::kBFloat16, at::kFloat, at::kDouble}) {
    content.tensors[c10::toString(dtype)] =
        torch::tensor({{0, 1, 2}, {3, 4, 100}}, at::kLong).to(dtype);
  }
  content.tensors["scalar"] = torch::tensor(2.5);
  content.tensors["empty"] = torch::zeros({0, 4});
  content.tensors["also empty"] = torch::zeros({3, 0}, at::kLong);
  content.metadata = {{"config", "{}"}, {"größe", "\n\"quoted\""}};
  write_safetensors(dir / "m", content);
  const TensorFile got = read_safetensors(dir / "m");
  EXPECT_EQ(got.metadata, content.metadata);
  ASSERT_EQ(got.tensors.size(), content.tensors.size());
  for (const auto& [name, want] : content.tensors) {
    const at::Tensor& tensor = got.tensors.at(name);
    EXPECT_EQ(tensor.scalar_type(), want.scalar_type()) << name;
    EXPECT_TRUE(torch::equal(tensor, want)) << name;
  }
}

TEST(Safetensors, WritesAFileWithoutTensors) {
  const TempDir dir;
  write_safetensors(dir / "m", {});
  const TensorFile got = read_safetensors(dir / "m");
  EXPECT_TRUE(got.tensors.empty());
  EXPECT_TRUE(got.metadata.empty());
}

TEST(Safetensors, StartsTheDataAtAMultipleOfEight) {
  const TempDir dir;
  for (size_t length = 1; length < 10; ++length) {
    TensorFile content;
    content.tensors[std::string(length, 'n')] = torch::ones({2}, at::kDouble);
    write_safetensors(dir / "m", content);
    const std::string bytes = read_file(dir / "m");
    EXPECT_EQ(load_le<uint64_t>(bytes.data()) % 8, 0u);
    EXPECT_EQ(bytes.size(), 8 + load_le<uint64_t>(bytes.data()) + 16);
  }
}

TEST(Safetensors, WritesViewsAndParametersInNameOrder) {
  const TempDir dir;
  TensorFile content;
  content.tensors["b"] = torch::arange(6).view({2, 3}).t();
  content.tensors["a"] = torch::ones({2}, torch::requires_grad());
  write_safetensors(dir / "m", content);
  const std::string bytes = read_file(dir / "m");
  EXPECT_MENTIONS(bytes, R"("a":{"data_offsets":[0,8])");
  EXPECT_MENTIONS(bytes, R"("b":{"data_offsets":[8,56])");
  const TensorFile got = read_safetensors(dir / "m");
  EXPECT_TRUE(torch::equal(got.tensors.at("b"), content.tensors.at("b")));
  EXPECT_FALSE(got.tensors.at("a").requires_grad());
}

TEST(Safetensors, RefusesToWriteWhatHasNoForm) {
  const TempDir dir;
  const auto error_with = [&](const std::string& name,
                              const at::Tensor& value) {
    TensorFile content;
    content.tensors[name] = value;
    return error_of([&] { write_safetensors(dir / "m", content); });
  };
  EXPECT_MENTIONS(error_with("w", at::Tensor()), "tensor 'w' is undefined");
  EXPECT_MENTIONS(error_with("w", torch::zeros({1}, at::kComplexFloat)),
                  "tensor 'w': type ComplexFloat has no safetensors form");
  EXPECT_MENTIONS(error_with("__metadata__", torch::zeros({1})),
                  "must not be named __metadata__");
  EXPECT_MENTIONS(error_with("\xff", torch::zeros({1})), "not valid UTF-8");
  EXPECT_TRUE(dir.names().empty());
}

TEST(Safetensors, ReadsTensorsInAnyOrderOfTheHeader) {
  const TempDir dir;
  write_file(dir / "m", with_header(R"({
    "b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]},
    "a":{"dtype":"I8","shape":[],"data_offsets":[0,1]}})",
                                    "\x05\x06\x07"));
  const TensorFile got = read_safetensors(dir / "m");
  EXPECT_TRUE(torch::equal(got.tensors.at("a"), torch::tensor(5, at::kChar)));
  EXPECT_TRUE(
      torch::equal(got.tensors.at("b"), torch::tensor({6, 7}, at::kByte)));
}

TEST(Safetensors, RefusesAHeaderThatDoesNotFit) {
  const TempDir dir;
  const auto error_with = [&](const std::string& bytes) {
    write_file(dir / "m", bytes);
    return error_of([&] { read_safetensors(dir / "m"); });
  };
  EXPECT_MENTIONS(error_with(""), "truncated");
  EXPECT_MENTIONS(error_with("1234567"), "truncated");
  EXPECT_MENTIONS(error_with(std::string(8, '\0')), "must start with '{'");
  EXPECT_MENTIONS(error_with(std::string(8, '\xff')), "states a header of");
  EXPECT_MENTIONS(error_with(std::string("\3\0\0\0\0\0\0\0{}", 10)),
                  "states a header of 3 bytes, 2 bytes follow");
}

TEST(Safetensors, RefusesAHeaderBeyondTheBoundOfTheFormat) {
  const TempDir dir;
  std::string length;
  append_le(length, uint64_t{100000001});
  write_file(dir / "m", length);
  fs::resize_file(dir / "m", 200000000);  // a hole, no bytes on the disk
  EXPECT_MENTIONS(error_of([&] { read_safetensors(dir / "m"); }),
                  "states a header of 100000001 bytes");
}

TEST(Safetensors, RefusesTextThatIsNoHeader) {
  for (const char* json : {"{", " {}", "[]", "{} x", "{'a': 1}", "{\"a\": NaN}",
                           "{\"\xff\": 1}", "{\"a\": {\"dtype\": \"F32\",}}"}) {
    EXPECT_MENTIONS(error_for(json), "bad header");
  }
}

TEST(Safetensors, RefusesKeysThatAreThereTwice) {
  const std::string tensor =
      R"("a":{"dtype":"U8","shape":[],"data_offsets":[0,1]})";
  EXPECT_MENTIONS(error_for("{" + tensor + "," + tensor + "}", "x"),
                  "'a' is there twice");
  EXPECT_MENTIONS(error_for(R"({"a":{"dtype":"U8","dtype":"I8","shape":[],)"
                            R"("data_offsets":[0,1]}})",
                            "x"),
                  "'dtype' is there twice");
  EXPECT_MENTIONS(error_for(R"({"__metadata__":{"k":"1","k":"2"}})"),
                  "'k' is there twice");
}

TEST(Safetensors, RefusesDeepNestingWithoutBuildingIt) {
  EXPECT_MENTIONS(error_for(R"({"a":{"b":{"c":{"d":{}}}}})"), "nested deeper");
  EXPECT_MENTIONS(error_for("{\"a\":" + std::string(1000000, '[')),
                  "nested deeper");
}

TEST(Safetensors, RefusesMoreThanAFileCanMean) {
  std::string metadata;
  for (int i = 0; i < 70000; ++i) {
    metadata += fmt::format("{}\"{}\":\"\"", i == 0 ? "" : ",", i);
  }
  EXPECT_MENTIONS(error_for("{\"__metadata__\":{" + metadata + "}}"),
                  "has more than 65536 metadata");
  std::string tensors = "{";
  for (int i = 0; i < 263000; ++i) {
    tensors += fmt::format(
        R"({}"{:x}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
        i == 0 ? "" : ",", i);
  }
  EXPECT_MENTIONS(error_for(tensors + "}"), "has more than 262144 tensors");
}

TEST(Safetensors, RefusesBadTensorsNamingThem) {
  // Four bytes of float32, but for the value that is told.
  const auto tensor = [](const std::string& dtype, const std::string& shape,
                         const std::string& offsets) {
    return fmt::format(R"({{"dtype":{},"shape":{},"data_offsets":{}}})", dtype,
                       shape, offsets);
  };
  const std::string f32 = "\"F32\"";
  std::vector<std::string> bad = {
      R"(1)",
      R"([])",
      R"({})",
      R"({"dtype":"F32","shape":[1]})",
      R"({"dtype":"F32","shape":[1],"offsets":[0,4]})",
      R"({"dtype":"F32","shape":[1],"data_offsets":[0,4],"more":1})",
      "[" + tensor(f32, "[1]", "[0,4]") + "]",
      tensor("\"F8_E4M3\"", "[4]", "[0,4]"),
      tensor(f32, "[4294967296,4294967296]", "[0,0]"),
      tensor(f32, "[0,9223372036854775807,4]", "[0,0]")};
  for (const char* dtype : {"1", R"(["F32"])", R"({"F32":1})"}) {
    bad.push_back(tensor(dtype, "[1]", "[0,4]"));
  }
  for (const char* shape : {"1", R"({"1":1})", "[[1]]", "[-1]", "[1.0]",
                            R"(["1"])", "[18446744073709551615]", "[2]"}) {
    bad.push_back(tensor(f32, shape, "[0,4]"));
  }
  for (const char* offsets : {"[0,4,8]", "[0,3]", "[4,0]", "[0]"}) {
    bad.push_back(tensor(f32, "[1]", offsets));
  }
  for (const std::string& value : bad) {
    EXPECT_MENTIONS(error_for("{\"w\":" + value + "}", "1234"), "tensor 'w': ");
  }
}

TEST(Safetensors, RefusesGapsOverlapsAndRest) {
  const auto tensor = [](const char* name, int begin, int end) {
    return fmt::format(
        R"("{}":{{"dtype":"U8","shape":[{}],"data_offsets":[{},{}]}})", name,
        end - begin, begin, end);
  };
  const std::string a = tensor("a", 0, 2);
  EXPECT_MENTIONS(error_for("{" + a + "," + tensor("b", 3, 4) + "}", "1234"),
                  "tensor 'b': starts at byte 3, expected 2");
  EXPECT_MENTIONS(error_for("{" + a + "," + tensor("b", 1, 4) + "}", "1234"),
                  "tensor 'b': starts at byte 1, expected 2");
  EXPECT_MENTIONS(error_for("{" + tensor("a", 1, 4) + "}", "1234"),
                  "tensor 'a': starts at byte 1, expected 0");
  EXPECT_MENTIONS(error_for("{" + a + "}", "1234"),
                  "describes 2 bytes of data, 4 are there");
  EXPECT_MENTIONS(error_for("{" + a + "}", "1"),
                  "describes 2 bytes of data, 1 are there");
}

TEST(Safetensors, RefusesMetadataThatIsNoText) {
  EXPECT_MENTIONS(error_for(R"({"__metadata__":[]})"), "must be an object");
  EXPECT_MENTIONS(error_for(R"({"__metadata__":{"epoch":3}})"),
                  "'epoch' must be a string");
}

TEST(Safetensors, RefusesABoolThatIsNeitherTrueNorFalse) {
  EXPECT_MENTIONS(
      error_for(R"({"m":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})",
                "\x02"),
      "tensor 'm': a bool is stored as 2");
}

TEST(Safetensors, RefusesAFileCutAtAnyByte) {
  const TempDir dir;
  write_safetensors(dir / "m", sample());
  io_test::expect_truncation_is_refused(
      dir / "cut", read_file(dir / "m"),
      [](const fs::path& path) { read_safetensors(path); });
}

TEST(Safetensors, SurvivesFlippedBits) {
  const TempDir dir;
  write_safetensors(dir / "m", sample());
  const int refused = io_test::count_refused_flips(
      dir / "flipped", read_file(dir / "m"),
      [](const fs::path& path) { read_safetensors(path); });
  EXPECT_GT(refused, 500);
}

TEST(Safetensors, NamesAMissingFile) {
  const TempDir dir;
  EXPECT_MENTIONS(error_of([&] { read_safetensors(dir / "none"); }),
                  "none: no such file");
}

}  // namespace
}  // namespace ordered_gnn::core
