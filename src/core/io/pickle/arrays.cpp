#include "core/io/pickle/arrays.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "core/affixes.h"
#include "core/io/byte_source.h"
#include "core/io/npy/stream.h"
#include "core/io/pickle/constructors.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

constexpr size_t kMaxPickledDims = 64;  // as many as NumPy knows
constexpr size_t kMaxCode = 8;          // "i4", "O8"; keeps messages short

// What NumPy hands to the __setstate__ of an array and of its dtype.
struct ArrayState {
  NpyHeader header;
  PickleValue data;
};

// The dtype as .npy headers spell it, for example "<i4".
std::string read_dtype(const PickleValue& dtype) {
  if (!is_made_by(dtype, pickle_constructors::kDtype)) {
    fail_in(dtype.place(), fmt::format("expected a NumPy dtype, found {}",
                                       describe_pickled(dtype)));
  }
  const PickleValue state = dtype.state();
  for (size_t part = 2; part < 5; ++part) {
    if (!state[part].is(PickleKind::none)) {
      fail_in(dtype.place(), "structured arrays are not read");
    }
  }
  const std::string_view order = state[1].string();
  const std::string_view code = dtype.arguments()[0].string();
  if (order.size() != 1 || code.size() > kMaxCode) {
    fail_in(dtype.place(), "expected a dtype such as '<' and 'i4'");
  }
  return fmt::format("{}{}", order, code);
}

ArrayState read_state(const PickleValue& value) {
  if (!is_pickled_array(value)) {
    fail_in(value.place(), fmt::format("expected a NumPy array, found {}",
                                       describe_pickled(value)));
  }
  const PickleValue state = value.state();
  ArrayState array{{}, state[4]};
  array.header.shape = state[1].integers();
  array.header.descr = read_dtype(state[2]);
  array.header.fortran_order = state[3].boolean();
  const std::vector<int64_t>& shape = array.header.shape;
  if (shape.size() > kMaxPickledDims) {
    fail_in(value.place(), "an array has more than 64 dimensions");
  }
  if (std::any_of(shape.begin(), shape.end(),
                  [](int64_t size) { return size < 0; })) {
    fail_in(value.place(), fmt::format("an array cannot have the shape ({})",
                                       fmt::join(shape, ", ")));
  }
  return array;
}

}  // namespace

std::string describe_pickled(const PickleValue& value) {
  return value.is(PickleKind::object) ? std::string(value.constructor())
                                      : to_string(value.kind());
}

bool is_made_by(const PickleValue& value, std::string_view constructor) {
  return value.is(PickleKind::object) && value.constructor() == constructor;
}

bool is_pickled_array(const PickleValue& value) {
  return is_made_by(value, pickle_constructors::kReconstruct);
}

at::Tensor array_from_pickle(const PickleValue& value) {
  const ArrayState array = read_state(value);
  MemorySource source(
      array.data.is(PickleKind::list) ? "" : array.data.string(),
      value.place());
  return read_npy_data(source, array.header);
}

std::vector<PickleValue> objects_from_pickle(const PickleValue& value) {
  const ArrayState array = read_state(value);
  const std::vector<int64_t>& shape = array.header.shape;
  if (!starts_with(array.header.descr, "|O") || shape.size() != 1) {
    fail_in(value.place(),
            fmt::format("expected a one-dimensional array of objects, found "
                        "shape ({}) of '{}'",
                        fmt::join(shape, ", "), array.header.descr));
  }
  if (static_cast<int64_t>(array.data.size()) != shape[0]) {
    fail_in(value.place(),
            fmt::format("the array states {} objects but holds {}", shape[0],
                        array.data.size()));
  }
  std::vector<PickleValue> objects;
  for (size_t i = 0; i < array.data.size(); ++i) {
    objects.push_back(array.data[i]);
  }
  return objects;
}

}  // namespace ordered_gnn::core
