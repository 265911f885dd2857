#include "core/io/npy/npy.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "core/io/file.h"
#include "core/io/little_endian.h"
#include "core/io/npy/header.h"
#include "core/io/npy/stream.h"
#include "core/io/tensor_memory.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

// Unsigned types wider than 8 bits have no tensor type: they become int64.
struct NpyType {
  std::string_view code;  // NumPy's dtype without the byte order
  int64_t size;
  at::ScalarType scalar_type;
  bool widens = false;
};

constexpr std::array<NpyType, 12> kTypes = {{
    {"b1", 1, at::kBool},
    {"u1", 1, at::kByte},
    {"i1", 1, at::kChar},
    {"i2", 2, at::kShort},
    {"i4", 4, at::kInt},
    {"i8", 8, at::kLong},
    {"f2", 2, at::kHalf},
    {"f4", 4, at::kFloat},
    {"f8", 8, at::kDouble},
    {"u2", 2, at::kLong, true},
    {"u4", 4, at::kLong, true},
    {"u8", 8, at::kLong, true},
}};

constexpr std::string_view kReadable =
    "bool, (u)int8 to 64 and float16, 32, 64 are read";

const NpyType& find_type(const std::string& descr, const std::string& place) {
  if (descr.size() > 1 && (descr[0] == '|' || descr[0] == '<' ||
                           descr[0] == '>' || descr[0] == '=')) {
    const std::string_view code = std::string_view(descr).substr(1);
    for (const NpyType& type : kTypes) {
      const bool orderless = descr[0] == '|';
      if (type.code == code && (!orderless || type.size == 1)) return type;
    }
    if (code[0] == 'O') {
      fail_in(place, fmt::format("object arrays (dtype '{}') are not read: "
                                 "they hold pickled Python code; {}",
                                 descr, kReadable));
    }
  }
  fail_in(place, fmt::format("dtype '{}' is not read; {}", descr, kReadable));
}

template <typename T>
T swapped(T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  std::reverse(bytes, bytes + sizeof(T));
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <typename T>
void swap_all(void* data, int64_t count) {
  T* const values = static_cast<T*>(data);
  for (int64_t i = 0; i < count; ++i) values[i] = swapped(values[i]);
}

void swap_bytes(void* data, int64_t count, int64_t size) {
  if (size == 2) swap_all<uint16_t>(data, count);
  if (size == 4) swap_all<uint32_t>(data, count);
  if (size == 8) swap_all<uint64_t>(data, count);
}

// Widens through a small block: the narrow array is never in memory as a
// whole.
template <typename T>
void read_widened(ByteSource& source, int64_t* out, int64_t count, bool swap) {
  std::vector<T> block(
      static_cast<size_t>(std::min<int64_t>(count, int64_t{1} << 16)));
  while (count > 0) {
    const int64_t taken = std::min(count, static_cast<int64_t>(block.size()));
    source.read(block.data(), taken * static_cast<int64_t>(sizeof(T)));
    if (swap) swap_all<T>(block.data(), taken);
    for (int64_t i = 0; i < taken; ++i) {
      const T value = block[static_cast<size_t>(i)];
      if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        fail_in(source.place(),
                fmt::format("the uint64 value {} is beyond int64", value));
      }
      out[i] = static_cast<int64_t>(value);
    }
    out += taken;
    count -= taken;
  }
}

void read_elements(ByteSource& source, const NpyType& type, bool swap,
                   const at::Tensor& out) {
  const int64_t count = out.numel();
  if (type.widens) {
    int64_t* const values = out.data_ptr<int64_t>();
    if (type.size == 2) read_widened<uint16_t>(source, values, count, swap);
    if (type.size == 4) read_widened<uint32_t>(source, values, count, swap);
    if (type.size == 8) read_widened<uint64_t>(source, values, count, swap);
    return;
  }
  source.read(out.data_ptr(), count * type.size);
  if (swap) swap_bytes(out.data_ptr(), count, type.size);
  if (type.scalar_type == at::kBool) check_bools(out, source.place());
}

}  // namespace

at::Tensor read_npy_from(ByteSource& source) {
  const NpyHeader header = read_npy_header(source);
  return read_npy_data(source, header);
}

at::Tensor read_npy_data(ByteSource& source, const NpyHeader& header) {
  const NpyType& type = find_type(header.descr, source.place());
  const int64_t count = checked_numel(header.shape, source.place());
  // Division, for the product may overflow.
  if (count != source.remaining() / type.size ||
      source.remaining() % type.size != 0) {
    fail_in(source.place(),
            fmt::format("shape ({}) of '{}' does not match the {} bytes of "
                        "data that are there",
                        fmt::join(header.shape, ", "), header.descr,
                        source.remaining()));
  }
  std::vector<int64_t> shape = header.shape;
  if (header.fortran_order) std::reverse(shape.begin(), shape.end());
  at::Tensor values = allocate_tensor(shape, type.scalar_type, source.place());
  read_elements(source, type, header.descr[0] == '>', values);
  source.finish();
  if (!header.fortran_order || shape.size() < 2) return values;
  std::vector<int64_t> backwards(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    backwards[i] = static_cast<int64_t>(shape.size() - 1 - i);
  }
  return values.permute(backwards).contiguous();
}

at::Tensor read_npy(const std::filesystem::path& path) {
  FileSource source(path);
  return read_npy_from(source);
}

at::Tensor parse_npy(std::string_view bytes, const std::string& place) {
  MemorySource source(bytes, place);
  return read_npy_from(source);
}

std::string npy_header(at::ScalarType scalar_type, at::IntArrayRef sizes) {
  const auto type =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const NpyType& candidate) {
        return !candidate.widens && candidate.scalar_type == scalar_type;
      });
  if (type == kTypes.end()) {
    fail("a tensor of type {} has no .npy form; convert it first",
         c10::toString(scalar_type));
  }
  std::string header = fmt::format(
      "{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
      type->size == 1 ? '|' : '<', type->code, fmt::join(sizes, ", "),
      sizes.size() == 1 ? "," : "");
  // The data starts at a multiple of 64 bytes, as NumPy has it for mapping.
  constexpr size_t kBefore = 10;
  const size_t length = (kBefore + header.size() + 1 + 63) / 64 * 64 - kBefore;
  if (length > std::numeric_limits<uint16_t>::max()) {
    fail("a tensor with {} dimensions has no .npy form", sizes.size());
  }
  header.resize(length - 1, ' ');
  std::string start("\x93NUMPY\x01\x00", 8);
  append_le(start, static_cast<uint16_t>(length));
  return start + header + '\n';
}

void write_npy(const std::filesystem::path& path, const at::Tensor& values) {
  const at::Tensor rows = to_writable(values, path.string());
  AtomicFile file(path);
  file.write(npy_header(rows));
  file.write(tensor_bytes(rows));
  file.commit();
}

}  // namespace ordered_gnn::core
