#include "data/formats/npz/arrays.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "core/io/tensor_memory.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::data {

std::string shape_of(const at::Tensor& values) {
  return fmt::format("[{}]", fmt::join(values.sizes(), ", "));
}

bool is_npz_with(const std::filesystem::path& file,
                 const std::vector<std::string>& names) {
  std::error_code ignored;
  if (file.extension() != ".npz" ||
      std::filesystem::is_directory(file, ignored)) {
    return false;
  }
  const core::NpzReader archive(file);
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return archive.contains(name);
  });
}

std::string array_place(const core::NpzReader& archive,
                        const std::string& name) {
  return fmt::format("{}:{}", archive.path().string(), name);
}

at::Tensor read_integers(const core::NpzReader& archive,
                         const std::string& name) {
  const at::Tensor values = archive.read(name);
  if (!at::isIntegralType(values.scalar_type(), /*includeBool=*/false)) {
    fail_in(archive.path(), fmt::format("{}: expected integers, got {}", name,
                                        at::toString(values.scalar_type())));
  }
  return core::converted(values, at::kLong, array_place(archive, name));
}

at::Tensor read_integer_list(const core::NpzReader& archive,
                             const std::string& name) {
  const at::Tensor values = read_integers(archive, name);
  if (values.dim() != 1) {
    fail_in(archive.path(), fmt::format("{}: expected one dimension, got shape "
                                        "{}",
                                        name, shape_of(values)));
  }
  return values.contiguous();
}

at::Tensor read_floats(const core::NpzReader& archive,
                       const std::string& name) {
  return core::converted(archive.read(name), at::kFloat,
                         array_place(archive, name));
}

at::Tensor transposed_pairs(const at::Tensor& pairs, const std::string& place) {
  const at::Tensor rows = pairs.contiguous();
  const int64_t count = rows.size(0);
  at::Tensor columns = core::allocate_tensor({2, count}, at::kLong, place);
  const int64_t* const from = rows.data_ptr<int64_t>();
  int64_t* const first = columns.data_ptr<int64_t>();
  int64_t* const second = first + count;
  parallel_ranges(count, int64_t{1} << 18, [&](int64_t begin, int64_t end) {
    for (int64_t e = begin; e < end; ++e) {
      first[e] = from[2 * e];
      second[e] = from[2 * e + 1];
    }
  });
  return columns;
}

int64_t read_count(const core::NpzReader& archive, const std::string& name,
                   int64_t index) {
  const at::Tensor values = read_integers(archive, name).reshape({-1});
  if (values.size(0) <= index) {
    fail_in(archive.path(), fmt::format("{}: expected {} numbers, got {}", name,
                                        index + 1, values.size(0)));
  }
  return values.contiguous().data_ptr<int64_t>()[index];
}

}  // namespace ordered_gnn::data
