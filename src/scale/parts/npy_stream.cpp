#include "scale/parts/npy_stream.h"

#include <functional>
#include <numeric>
#include <utility>

#include "core/io/npy/npy.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {

NpyStream::NpyStream(const std::filesystem::path& file, at::ScalarType type,
                     std::vector<int64_t> sizes)
    : path_(file), type_(type), sizes_(std::move(sizes)), file_(file) {
  values_left_ = std::accumulate(sizes_.begin(), sizes_.end(), int64_t{1},
                                 std::multiplies<int64_t>());
  const std::string header = core::npy_header(type_, sizes_);
  write(header.data(), header.size());
}

void NpyStream::add(const at::Tensor& rows) {
  TORCH_CHECK(rows.scalar_type() == type_, path_.string(), ": rows of type ",
              rows.scalar_type(), " in an array of ", type_);
  const at::Tensor packed = rows.contiguous();
  values_left_ -= packed.numel();
  write(packed.data_ptr(), packed.nbytes());
}

FileMark NpyStream::finish() {
  TORCH_CHECK(values_left_ == 0, path_.string(), ": ", values_left_,
              " values of the array are missing");
  const int64_t bytes = file_.bytes_written();
  file_.commit();
  return {bytes, hash_.hex()};
}

void NpyStream::write(const void* data, size_t size) {
  file_.write(data, size);
  hash_.update(data, size);
}

FileMark write_array(const std::filesystem::path& file,
                     const at::Tensor& values) {
  NpyStream stream(file, values.scalar_type(), values.sizes().vec());
  stream.add(values);
  return stream.finish();
}

}  // namespace ordered_gnn::scale
