#include "core/io/tensor_memory.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <new>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory_budget.h"

namespace ordered_gnn::core {
namespace {

[[noreturn]] void fail_without_memory(int64_t numel, int64_t width,
                                      const std::string& place) {
  fail_in(place,
          fmt::format("no memory for {} elements of {} bytes", numel, width));
}

}  // namespace

int64_t checked_numel(at::IntArrayRef shape, const std::string& place) {
  int64_t numel = 1;
  int64_t extent = 1;  // what strides multiply up to: zeros count as one
  for (const int64_t size : shape) {
    if (__builtin_mul_overflow(extent, std::max<int64_t>(size, 1), &extent)) {
      fail_in(place, "the shape has more elements than can be counted");
    }
    numel *= size;
  }
  return numel;
}

at::Tensor allocate_tensor(at::IntArrayRef shape, at::ScalarType dtype,
                           const std::string& place) {
  const int64_t numel = checked_numel(shape, place);
  const auto width = static_cast<int64_t>(c10::elementSize(dtype));
  int64_t bytes = 0;
  if (__builtin_mul_overflow(numel, width, &bytes)) {
    fail_without_memory(numel, width, place);
  }
  // A file may hold a million small tensors: no text is made for them.
  if (bytes >= kLargeMemory) {
    require_memory(bytes, place, fmt::format("an array of {} elements", numel));
  }
  try {
    return at::empty(shape, at::TensorOptions().dtype(dtype));
  } catch (const c10::Error&) {
    fail_without_memory(numel, width, place);
  } catch (const std::bad_alloc&) {
    fail_without_memory(numel, width, place);
  }
}

at::Tensor converted(const at::Tensor& values, at::ScalarType dtype,
                     const std::string& place) {
  if (values.scalar_type() == dtype) return values;
  at::Tensor out = allocate_tensor(values.sizes(), dtype, place);
  return out.copy_(values);
}

at::Tensor to_writable(const at::Tensor& values, const std::string& place) {
  if (!values.defined()) fail_in(place, "the tensor to write is undefined");
  return values.detach().to(at::kCPU).contiguous();
}

std::string_view tensor_bytes(const at::Tensor& values) {
  return {static_cast<const char*>(values.data_ptr()), values.nbytes()};
}

void check_bools(const at::Tensor& values, const std::string& place) {
  const auto* const bytes = static_cast<const uint8_t*>(values.data_ptr());
  // Folding first keeps the loop free of branches.
  uint8_t any = 0;
  for (int64_t i = 0; i < values.numel(); ++i) any |= bytes[i];
  if (any > 1) {
    fail_in(place, fmt::format("a bool is stored as {}, expected 0 or 1", any));
  }
}

}  // namespace ordered_gnn::core
