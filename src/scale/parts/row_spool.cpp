#include "scale/parts/row_spool.h"

#include <ATen/Functions.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "data/graph_source.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {
namespace {

void write_at(int file, const std::filesystem::path& path, const char* data,
              int64_t size, int64_t offset) {
  while (size > 0) {
    const ssize_t done =
        ::pwrite(file, data, static_cast<size_t>(size), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      fail_in(path,
              fmt::format("cannot be written ({})", std::strerror(errno)));
    }
    data += done;
    offset += done;
    size -= done;
  }
}

void read_at(int file, const std::filesystem::path& path, char* data,
             int64_t size, int64_t offset) {
  while (size > 0) {
    const ssize_t done = ::pread(file, data, static_cast<size_t>(size), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail_in(path, "cannot be read back");
    data += done;
    offset += done;
    size -= done;
  }
}

}  // namespace

RowSpool::RowSpool(std::filesystem::path file, int64_t nodes, int64_t width)
    : path_(std::move(file)), nodes_(nodes), width_(width) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file_ < 0) {
    fail_in(path_, fmt::format("cannot be made ({})", std::strerror(errno)));
  }
}

RowSpool::~RowSpool() { ::close(file_); }

void RowSpool::put(const at::Tensor& nodes, const at::Tensor& rows) {
  const at::Tensor packed = rows.contiguous();
  const at::Tensor owners = nodes.contiguous();
  const int64_t* const node = owners.data_ptr<int64_t>();
  const char* const data = static_cast<const char*>(packed.data_ptr());
  const int64_t bytes = width_ * static_cast<int64_t>(sizeof(float));
  // Runs of nodes that follow each other go out at once.
  for (int64_t begin = 0; begin < owners.numel();) {
    int64_t end = begin + 1;
    while (end < owners.numel() && node[end] == node[end - 1] + 1) ++end;
    write_at(file_, path_, data + begin * bytes, (end - begin) * bytes,
             node[begin] * bytes);
    begin = end;
  }
}

void RowSpool::walk(
    const std::function<void(int64_t first, const at::Tensor& rows)>& on_rows)
    const {
  const int64_t bytes = width_ * static_cast<int64_t>(sizeof(float));
  const int64_t most = data::piece_rows(width_);
  for (int64_t begin = 0; begin < nodes_; begin += most) {
    const int64_t count = std::min(most, nodes_ - begin);
    const at::Tensor rows = at::empty({count, width_}, at::kFloat);
    read_at(file_, path_, static_cast<char*>(rows.data_ptr()), count * bytes,
            begin * bytes);
    on_rows(begin, rows);
  }
}

}  // namespace ordered_gnn::scale
