#include "core/io/npy/npy.h"

#include <torch/types.h>

#include <algorithm>

#include "core/io/io_support.h"
#include "core/io/npy/header.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::core {
namespace {

// An .npy file with any header text, data and version.
std::string npy(const std::string& dictionary, const std::string& data = "",
                int version = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    bytes += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
  }
  return bytes + dictionary + data;
}

std::string dictionary(const std::string& descr, const std::string& shape,
                       const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran +
         ", 'shape': " + shape + ", }";
}

at::Tensor parse(const std::string& bytes) {
  return parse_npy(bytes, "x.npz:a.npy");
}

void expect_same(const at::Tensor& got, const at::Tensor& want) {
  EXPECT_EQ(got.scalar_type(), want.scalar_type());
  EXPECT_TRUE(got.is_contiguous());
  EXPECT_TRUE(torch::equal(got, want)) << got << "\nwant\n" << want;
}

const std::vector<at::ScalarType> kWritable = {
    at::kBool, at::kByte, at::kChar,  at::kShort, at::kInt,
    at::kLong, at::kHalf, at::kFloat, at::kDouble};

TEST(Npy, WritesAndReadsEveryType) {
  const TempDir dir;
  for (const at::ScalarType dtype : kWritable) {
    const auto values =
        torch::tensor({{0, 1, 2}, {3, 4, 100}}, at::kLong).to(dtype);
    write_npy(dir / "x.npy", values);
    expect_same(read_npy(dir / "x.npy"), values);
  }
}

TEST(Npy, WritesAndReadsScalarsAndEmptyArrays) {
  const TempDir dir;
  for (const std::vector<int64_t>& shape : std::vector<std::vector<int64_t>>{
           {}, {0}, {1}, {5, 0}, {0, 3, 2}, {1, 1, 1, 1}}) {
    const auto values = torch::full(shape, 2.5f);
    write_npy(dir / "x.npy", values);
    expect_same(read_npy(dir / "x.npy"), values);
  }
}

TEST(Npy, WritesAViewRowByRow) {
  const TempDir dir;
  const auto base = torch::arange(12).view({3, 4});
  for (const at::Tensor& view :
       {base.t(), base.slice(1, 1, 3), base.select(1, 2)}) {
    write_npy(dir / "x.npy", view);
    expect_same(read_npy(dir / "x.npy"), view.contiguous());
  }
  const auto weight = torch::ones({2, 2}, torch::requires_grad());
  write_npy(dir / "x.npy", weight);
  EXPECT_FALSE(read_npy(dir / "x.npy").requires_grad());
}

TEST(Npy, WritesTheHeaderThatNumPyWrites) {
  const std::string header = npy_header(torch::zeros({3, 4}));
  EXPECT_EQ(header.size(), 128u);
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(header.substr(10, 59),
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }");
  EXPECT_EQ(header.back(), '\n');
  EXPECT_MENTIONS(npy_header(torch::zeros({3}, at::kBool)),
                  "'descr': '|b1', 'fortran_order': False, 'shape': (3,), }");
  EXPECT_MENTIONS(npy_header(torch::zeros({}, at::kLong)),
                  "'descr': '<i8', 'fortran_order': False, 'shape': (), }");
}

TEST(Npy, RefusesToWriteATypeNumPyLacks) {
  EXPECT_MENTIONS(
      error_of([] { npy_header(torch::zeros({2}, at::kBFloat16)); }),
      "BFloat16 has no .npy form");
  const TempDir dir;
  EXPECT_MENTIONS(error_of([&] { write_npy(dir / "x.npy", at::Tensor()); }),
                  "undefined");
  EXPECT_TRUE(dir.names().empty());
}

TEST(Npy, ReadsEveryVersion) {
  const std::string text = dictionary("<i2", "(2,)");
  for (const int version : {1, 2, 3}) {
    expect_same(parse(npy(text, std::string("\x01\x00\xff\xff", 4), version)),
                torch::tensor({1, -1}, at::kShort));
  }
  EXPECT_MENTIONS(error_of([&] { parse(npy(text, "abcd", 4)); }),
                  "version 4.0 is not known");
}

TEST(Npy, SwapsBigEndianData) {
  expect_same(
      parse(npy(dictionary(">i2", "(2,)"), std::string("\1\2\xff\xfe", 4))),
      torch::tensor({258, -2}, at::kShort));
  expect_same(
      parse(npy(dictionary(">f4", "()"), std::string("\x3f\x80\0\0", 4))),
      torch::tensor(1.0f));
  expect_same(
      parse(npy(dictionary(">i8", "(1,)"), std::string("\0\0\0\0\0\0\1\0", 8))),
      torch::tensor({256}, at::kLong));
  expect_same(parse(npy(dictionary(">u2", "(1,)"), std::string("\xff\0", 2))),
              torch::tensor({65280}, at::kLong));
}

TEST(Npy, WidensUnsignedTypes) {
  expect_same(parse(npy(dictionary("<u2", "(2,)"), "\xff\xff\x01\x01")),
              torch::tensor({65535, 257}, at::kLong));
  expect_same(parse(npy(dictionary("<u4", "(1,)"), "\xff\xff\xff\xff")),
              torch::tensor({int64_t{4294967295}}, at::kLong));
  const std::string largest("\xff\xff\xff\xff\xff\xff\xff\x7f", 8);
  expect_same(parse(npy(dictionary("<u8", "(1,)"), largest)),
              torch::tensor({INT64_MAX}, at::kLong));
  expect_same(parse(npy(dictionary("|u1", "(1,)"), "\xff")),
              torch::tensor({255}, at::kByte));
}

TEST(Npy, WidensMoreThanOneBlock) {
  std::string data;
  for (int i = 0; i < 70000; ++i) {
    data += static_cast<char>(i & 0xff);
    data += static_cast<char>(i >> 8 & 0xff);
  }
  expect_same(parse(npy(dictionary("<u2", "(70000,)"), data)),
              torch::arange(70000).remainder(65536));
}

TEST(Npy, RefusesAnUnsignedValueBeyondInt64) {
  const std::string data("\0\0\0\0\0\0\0\x80", 8);
  EXPECT_MENTIONS(
      error_of([&] { parse(npy(dictionary("<u8", "(1,)"), data)); }),
      "x.npz:a.npy: the uint64 value 9223372036854775808 is beyond int64");
}

TEST(Npy, TurnsFortranOrderIntoRows) {
  std::string data;
  for (char i = 0; i < 24; ++i) data += i;
  const auto columns = torch::arange(24, at::kByte);
  expect_same(parse(npy(dictionary("|u1", "(4, 6)", "True"), data)),
              columns.view({6, 4}).t().contiguous());
  expect_same(parse(npy(dictionary("|u1", "(2, 3, 4)", "True"), data)),
              columns.view({4, 3, 2}).permute({2, 1, 0}).contiguous());
  expect_same(parse(npy(dictionary("|u1", "(24,)", "True"), data)), columns);
  expect_same(parse(npy(dictionary("|u1", "(0, 3)", "True"))),
              torch::zeros({0, 3}, at::kByte));
}

TEST(Npy, ReadsTheHeaderFormsOfOldWriters) {
  const auto want = torch::tensor({{7}}, at::kByte);
  for (const char* text :
       {"{'descr': '|u1', 'fortran_order': False, 'shape': (1L, 1L), }   \n",
        "{\"shape\": (1,1), \"fortran_order\":False, \"descr\":\"<u1\"}",
        " {'descr':'=u1','fortran_order': True,'shape':( 1 , 1 , ),}"}) {
    expect_same(parse(npy(text, "\x07")), want);
  }
}

TEST(Npy, RefusesObjectArraysAndSaysWhy) {
  for (const char* descr : {"|O", "<O8"}) {
    EXPECT_MENTIONS(
        error_of([&] { parse(npy(dictionary(descr, "(1,)"), "whatever")); }),
        std::string("object arrays (dtype '") + descr + "') are not read");
  }
}

TEST(Npy, RefusesTypesWithoutATensorFormByName) {
  for (const char* descr : {"<U5", "|S3", "<c8", "<f16", "<M8[ns]", "|V4",
                            "<b2", "f4", "<", "", "|i8", "<i3"}) {
    EXPECT_MENTIONS(
        error_of([&] { parse(npy(dictionary(descr, "(1,)"), "12345678")); }),
        std::string("dtype '") + descr + "' is not read");
  }
  EXPECT_MENTIONS(error_of([] {
                    parse(
                        npy("{'descr': [('a', '<f4')], 'fortran_order': "
                            "False, 'shape': (1,), }",
                            "1234"));
                  }),
                  "structured arrays are not read");
}

TEST(Npy, RefusesEveryBadDictionary) {
  const std::vector<std::string> bad = {
      "",
      "{",
      "{}",
      "[]",
      "{'descr': '<f4', 'fortran_order': False}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
      "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False}",
      "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
      "{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}",
      "{'descr' '<f4', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': "
      "(99999999999999999999,)}",
  };
  for (const std::string& text : bad) {
    EXPECT_MENTIONS(error_of([&] { parse(npy(text, "1234")); }),
                    "x.npz:a.npy: bad .npy header");
  }
}

TEST(Npy, RefusesMoreDimensionsThanNumPyHas) {
  std::string shape;
  for (int i = 0; i < 64; ++i) shape += "1,";
  const auto read = [](const std::string& sizes) {
    return parse(npy(dictionary("|u1", "(" + sizes + ")"), "x"));
  };
  EXPECT_EQ(read(shape).dim(), 64);
  EXPECT_MENTIONS(error_of([&] { read(shape + "1,"); }), "64 dimensions");
}

TEST(Npy, RefusesShapesThatDoNotMatchTheData) {
  for (const char* shape :
       {"(2,)", "(0,)", "()", "(3, 0)", "(4611686018427387904,)",
        "(2147483648, 2147483648)", "(1000000000000,)"}) {
    EXPECT_MENTIONS(
        error_of([&] { parse(npy(dictionary("<f4", shape), "1234567")); }),
        "does not match the 7 bytes");
  }
  // Sizes whose product wraps around to the number of bytes that are there.
  for (const char* shape :
       {"(4294967296, 4294967296)", "(0, 4611686018427387904, 4)"}) {
    EXPECT_MENTIONS(error_of([&] { parse(npy(dictionary("<f4", shape))); }),
                    "more elements than can be counted");
  }
}

TEST(Npy, RefusesBytesAfterTheArray) {
  EXPECT_MENTIONS(
      error_of([] { parse(npy(dictionary("<f4", "(1,)"), "12345678")); }),
      "does not match the 8 bytes");
}

TEST(Npy, RefusesABoolThatIsNeitherTrueNorFalse) {
  EXPECT_MENTIONS(
      error_of([] { parse(npy(dictionary("|b1", "(1,)"), "\x02")); }),
      "expected 0 or 1");
}

TEST(Npy, RefusesAHeaderLongerThanTheFile) {
  std::string bytes = npy(dictionary("<f4", "(1,)"), "1234", 2);
  bytes[11] = '\x7f';
  EXPECT_MENTIONS(error_of([&] { parse(bytes); }),
                  "bad .npy header: it states");
}

TEST(Npy, RefusesAFileCutAtAnyByte) {
  const TempDir dir;
  write_npy(dir / "x.npy", torch::arange(5));
  io_test::expect_truncation_is_refused(
      dir / "y.npy", read_file(dir / "x.npy"),
      [](const std::filesystem::path& path) { read_npy(path); });
}

TEST(Npy, SurvivesFlippedBits) {
  const TempDir dir;
  const std::string bytes =
      npy(dictionary("<i4", "(2, 3)"), std::string(24, '\1'));
  const int refused = io_test::count_refused_flips(
      dir / "x.npy", bytes,
      [](const std::filesystem::path& path) { read_npy(path); });
  EXPECT_GT(refused, 500);   // most bytes are header
  EXPECT_LT(refused, 1000);  // a flip in the data alone cannot be seen
}

TEST(Npy, NamesAMissingFile) {
  const TempDir dir;
  EXPECT_MENTIONS(error_of([&] { read_npy(dir / "none.npy"); }),
                  "none.npy: no such file");
}

}  // namespace
}  // namespace ordered_gnn::core
