#include "core/io/pickle/arrays.h"

#include <limits>

#include "core/io/io_support.h"
#include "core/io/pickle/csr.h"
#include "support/pickle_writer.h"

namespace ordered_gnn::core {
namespace {

at::Tensor read_array(const std::string& value) {
  const Pickle pickle = parse_pickle(pickled::file(value), "a.pickle");
  return array_from_pickle(pickle.root());
}

std::string array_error(const std::string& value) {
  return error_of([&] { read_array(value); });
}

CsrMatrix read_csr(const std::string& value) {
  const Pickle pickle = parse_pickle(pickled::file(value), "m.pickle");
  return csr_from_pickle(pickle.root());
}

std::string csr_error(const std::string& value) {
  return error_of([&] { read_csr(value); });
}

at::Tensor ints(const std::vector<int64_t>& values) {
  return torch::tensor(values, torch::kLong).to(torch::kInt);
}

at::Tensor floats(const std::vector<double>& values) {
  return torch::tensor(values, torch::kDouble).to(torch::kFloat);
}

TEST(PickledArray, ReadsNumbersOfSeveralTypesAndShapes) {
  for (const at::ScalarType type : {at::kInt, at::kLong, at::kFloat}) {
    for (const std::vector<int64_t>& shape :
         std::vector<std::vector<int64_t>>{{6}, {2, 3}, {1, 3, 2}, {0, 4}}) {
      const at::Tensor want = torch::arange(6)
                                  .to(type)
                                  .narrow(0, 0, shape[0] == 0 ? 0 : 6)
                                  .reshape(shape);
      const at::Tensor got = read_array(pickled::array(want));
      EXPECT_EQ(got.scalar_type(), type);
      EXPECT_TRUE(torch::equal(got, want));
    }
  }
}

TEST(PickledArray, HonoursByteOrderAndFortranOrder) {
  const std::string data("\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4", 16);
  const at::Tensor rows = read_array(pickled::array(
      {2, 2}, pickled::dtype(">", "i4"), false, pickled::text(data)));
  EXPECT_TRUE(torch::equal(rows, torch::tensor({{1, 2}, {3, 4}}, torch::kInt)));
  const at::Tensor columns = read_array(pickled::array(
      {2, 2}, pickled::dtype(">", "i4"), true, pickled::text(data)));
  EXPECT_TRUE(
      torch::equal(columns, torch::tensor({{1, 3}, {2, 4}}, torch::kInt)));
}

TEST(PickledArray, RefusesAShapeThatIsNotThatOfTheData) {
  const std::string type = pickled::dtype("<", "i4");
  const std::string data = pickled::text(std::string(16, '\0'));
  for (const std::vector<int64_t>& shape : std::vector<std::vector<int64_t>>{
           {3}, {5}, {2, 3}, {}, {0}, {2000000000, 2000000000, 2000000000}}) {
    EXPECT_MENTIONS(array_error(pickled::array(shape, type, false, data)),
                    "a.pickle: ");
  }
  EXPECT_MENTIONS(array_error(pickled::array({3}, type, false, data)),
                  "does not match the 16 bytes");
  EXPECT_MENTIONS(array_error(pickled::array({-4}, type, false, data)),
                  "cannot have the shape (-4)");
  EXPECT_MENTIONS(array_error(pickled::array(std::vector<int64_t>(65, 1), type,
                                             false, data)),
                  "more than 64 dimensions");
}

TEST(PickledArray, RefusesTypesThatAreNotNumbers) {
  const std::string data = pickled::text(std::string(8, '\0'));
  for (const char* code :
       {"O8", "S8", "V8", "c8", "M8", "i3", "", "i4 and more"}) {
    EXPECT_MENTIONS(array_error(pickled::array({1}, pickled::dtype("<", code),
                                               false, data)),
                    "dtype");
  }
  EXPECT_MENTIONS(
      array_error(pickled::array({1}, pickled::dtype("", "i8"), false, data)),
      "expected a dtype such as");
  const std::string structured =
      pickled::call(pickled::global("numpy", "dtype"),
                    {pickled::text("V8"), pickled::integer(0)}) +
      pickled::tuple({pickled::integer(3), pickled::text("<"), pickled::none(),
                      pickled::tuple({pickled::text("f")}), pickled::none()}) +
      "b";
  EXPECT_MENTIONS(array_error(pickled::array({1}, structured, false, data)),
                  "structured arrays");
}

TEST(PickledArray, RefusesEverythingThatIsNoArray) {
  const std::string type = pickled::dtype("<", "i4");
  const std::string data = pickled::text(std::string(4, '\0'));
  EXPECT_MENTIONS(array_error(pickled::none()), "found None");
  EXPECT_MENTIONS(array_error(pickled::integers({1})), "found a list");
  EXPECT_MENTIONS(array_error(type), "found numpy dtype");
  EXPECT_MENTIONS(array_error(pickled::array({1}, data, false, data)),
                  "expected a NumPy dtype, found a string");
  EXPECT_MENTIONS(
      array_error(pickled::array({1}, type, false, pickled::integer(4))),
      "hold a string");
  const std::string bare = pickled::call(
      pickled::global("numpy.core.multiarray", "_reconstruct"), {});
  EXPECT_MENTIONS(array_error(bare), "where it holds None");
  EXPECT_MENTIONS(array_error(bare + pickled::tuple({}) + "b"),
                  "5 elements or more");
}

TEST(PickledObjects, ReadsTheElementsOfAnObjectArray) {
  const Pickle pickle = parse_pickle(
      pickled::file(pickled::objects({pickled::none(), pickled::integer(4)})),
      "o.pickle");
  const std::vector<PickleValue> objects = objects_from_pickle(pickle.root());
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(objects[1].integer(), 4);
}

TEST(PickledObjects, RefusesOtherArraysAndCounts) {
  const auto error = [](const std::string& value) {
    const Pickle pickle = parse_pickle(pickled::file(value), "o.pickle");
    return error_of([&] { objects_from_pickle(pickle.root()); });
  };
  EXPECT_MENTIONS(error(pickled::array(ints({1, 2}))), "array of objects");
  EXPECT_MENTIONS(error(pickled::none()), "found None");
  const std::string type = pickled::dtype("|", "O8");
  const std::string two = pickled::list({pickled::none(), pickled::none()});
  EXPECT_MENTIONS(error(pickled::array({3}, type, false, two)),
                  "states 3 objects but holds 2");
  EXPECT_MENTIONS(error(pickled::array({1, 2}, type, false, two)), "(1, 2)");
  EXPECT_MENTIONS(error(pickled::array({2}, type, false, pickled::text("ab"))),
                  "hold a list");
}

TEST(PickledCsr, ReadsAMatrix) {
  const at::Tensor dense =
      torch::tensor({{0.f, 2.f, 0.f}, {0.f, 0.f, 0.f}, {-1.f, 0.f, .5f}});
  const CsrMatrix matrix = read_csr(pickled::csr(dense));
  EXPECT_EQ(matrix.num_rows, 3);
  EXPECT_EQ(matrix.num_columns, 3);
  const NodeFeatures features = NodeFeatures::sparse(matrix.rows, 3);
  EXPECT_TRUE(torch::equal(features.to_dense(), dense));
}

TEST(PickledCsr, ReadsOtherNumberTypesAndAnEmptyMatrix) {
  const CsrMatrix matrix = read_csr(
      pickled::csr(1, 4, ints({0, 2}).to(at::kLong), ints({1, 3}).to(at::kLong),
                   floats({1, 2}).to(at::kDouble)));
  EXPECT_TRUE(torch::equal(matrix.rows.value, floats({1, 2})));
  EXPECT_TRUE(torch::equal(matrix.rows.col, ints({1, 3})));
  const CsrMatrix empty =
      read_csr(pickled::csr(0, 0, ints({0}), ints({}), floats({})));
  EXPECT_EQ(empty.num_rows, 0);
  EXPECT_EQ(empty.rows.rowptr.size(0), 1);
}

TEST(PickledCsr, SortsColumnsAndAddsUpRepeats) {
  const CsrMatrix matrix =
      read_csr(pickled::csr(2, 5, ints({0, 4, 6}), ints({4, 1, 4, 0, 2, 3}),
                            floats({1, 2, 4, 8, 0, 16})));
  EXPECT_TRUE(torch::equal(matrix.rows.rowptr, ints({0, 3, 5}).to(at::kLong)));
  EXPECT_TRUE(torch::equal(matrix.rows.col, ints({0, 1, 4, 2, 3})));
  EXPECT_TRUE(torch::equal(matrix.rows.value, floats({8, 2, 5, 0, 16})));
}

TEST(PickledCsr, RefusesArraysThatAreNoRows) {
  const at::Tensor two = ints({0, 1});
  const at::Tensor values = floats({1, 1});
  EXPECT_MENTIONS(csr_error(pickled::csr(2, 5, ints({0, 2, 1}), two, values)),
                  "m.pickle: 'indptr'");
  EXPECT_MENTIONS(
      csr_error(pickled::csr(3, 5, ints({0, 2, 1, 2}), two, values)),
      "row 1 of the csr_matrix ends at entry 1");
  EXPECT_MENTIONS(csr_error(pickled::csr(2, 5, ints({0, -1, 2}), two, values)),
                  "row 0");
  EXPECT_MENTIONS(csr_error(pickled::csr(3, 5, ints({0, 1, 2}), two, values)),
                  "must hold 4 numbers from 0 to 2");
  EXPECT_MENTIONS(csr_error(pickled::csr(0, 5, ints({}), ints({}), floats({}))),
                  "must hold 1 numbers");
  EXPECT_MENTIONS(csr_error(pickled::csr(1, 5, ints({0, 2}), two, floats({1}))),
                  "2 column indices but 1 values");
  EXPECT_MENTIONS(csr_error(pickled::csr(1, 5, ints({0, 2}), values, values)),
                  "'indices' of the csr_matrix must hold integers");
  EXPECT_MENTIONS(
      csr_error(pickled::csr(1, 5, ints({0, 2}).reshape({1, 2}), two, values)),
      "one dimension");
}

TEST(PickledCsr, RefusesColumnsAndShapesThatCannotBe) {
  const at::Tensor values = floats({1, 1});
  for (const int64_t column : {-1, 5, 2147483647}) {
    EXPECT_MENTIONS(
        csr_error(pickled::csr(1, 5, ints({0, 2}), ints({0, column}), values)),
        fmt::format("row 0 of the csr_matrix has column {}; "
                    "columns are 0 to 4",
                    column));
  }
  EXPECT_MENTIONS(
      csr_error(pickled::csr(1, -5, ints({0, 2}), ints({0, 1}), values)),
      "got (1, -5)");
  EXPECT_MENTIONS(
      csr_error(pickled::csr(-1, 5, ints({0, 2}), ints({0, 1}), values)),
      "got (-1, 5)");
}

TEST(PickledCsr, RefusesValuesThatAreNotFinite) {
  const double big = std::numeric_limits<float>::max();
  for (const double value : {std::nan(""), 1e39, -HUGE_VAL}) {
    EXPECT_MENTIONS(
        csr_error(pickled::csr(2, 5, ints({0, 1, 2}), ints({0, 3}),
                               torch::tensor({1., value}, torch::kDouble))),
        "row 1 of the csr_matrix has");
  }
  EXPECT_MENTIONS(csr_error(pickled::csr(1, 5, ints({0, 2}), ints({3, 3}),
                                         floats({big, big}))),
                  "has inf in column 3");
}

TEST(PickledCsr, NamesAMissingField) {
  EXPECT_MENTIONS(csr_error(pickled::none()), "found None");
  const std::string start =
      pickled::global("scipy.sparse.csr", "csr_matrix") + ")\x81";
  EXPECT_MENTIONS(csr_error(start), "hold a dict");
  EXPECT_MENTIONS(csr_error(start + "}b"), "no '_shape'");
  const std::string shape = pickled::dict(
      {{pickled::text("_shape"),
        pickled::tuple({pickled::integer(1), pickled::integer(1)})}});
  EXPECT_MENTIONS(csr_error(start + shape + "b"), "no 'indptr'");
}

TEST(PickledCsr, SurvivesRandomDamage) {
  const std::string content =
      pickled::file(pickled::csr(torch::eye(4) + torch::eye(4).flip(0)));
  const auto read = [](const std::string& bytes) {
    const Pickle pickle = parse_pickle(bytes, "m.pickle");
    const CsrMatrix matrix = csr_from_pickle(pickle.root());
    NodeFeatures::sparse(matrix.rows, matrix.num_columns);
  };
  for (size_t size = 0; size < content.size(); ++size) {
    EXPECT_MENTIONS(error_of([&] { read(content.substr(0, size)); }),
                    "m.pickle: ");
  }
  const int refused = io_test::count_refused_flips(content, read, 20000);
  EXPECT_GT(refused, 2000);
  EXPECT_LT(refused, 20000);
}

}  // namespace
}  // namespace ordered_gnn::core
