#include "core/io/npy/npz.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/affixes.h"
#include "core/io/npy/npy.h"
#include "core/io/npy/stream.h"
#include "core/io/tensor_memory.h"
#include "core/io/zip/zip.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory_budget.h"

namespace ordered_gnn::core {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr size_t kMaxListed = 20;

std::string with_suffix(const std::string& name) {
  return name + std::string(kSuffix);
}

std::string arrays_of(std::vector<std::string> names) {
  const bool cut = names.size() > kMaxListed;
  if (cut) names.resize(kMaxListed);
  return names.empty() ? "it has none"
                       : fmt::format("it has {}{}", fmt::join(names, ", "),
                                     cut ? ", ..." : "");
}

}  // namespace

struct NpzReader::State {
  explicit State(const std::filesystem::path& path) : zip(path) {}
  ZipReader zip;
};

NpzReader::NpzReader(const std::filesystem::path& path)
    : state_(std::make_unique<State>(path)) {}

NpzReader::~NpzReader() = default;

const std::filesystem::path& NpzReader::path() const {
  return state_->zip.path();
}

std::vector<std::string> NpzReader::names() const {
  std::vector<std::string> names;
  for (const ZipEntry& entry : state_->zip.entries()) {
    std::string_view name = entry.name;
    if (take_suffix(name, kSuffix) && !name.empty()) names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> NpzReader::entries() const {
  std::vector<std::string> names;
  for (const ZipEntry& entry : state_->zip.entries()) {
    names.push_back(entry.name);
  }
  return names;
}

bool NpzReader::contains(const std::string& name) const {
  return state_->zip.find(with_suffix(name)) != nullptr;
}

at::Tensor NpzReader::read(const std::string& name) const {
  const ZipEntry* const entry = state_->zip.find(with_suffix(name));
  if (entry == nullptr) {
    fail_in(path(),
            fmt::format("has no array '{}'; {}", name, arrays_of(names())));
  }
  return read_npy_from(*state_->zip.open(*entry));
}

std::string NpzReader::read_bytes(const std::string& entry_name) const {
  const ZipEntry* const entry = state_->zip.find(entry_name);
  if (entry == nullptr) {
    fail_in(path(), fmt::format("has no entry '{}'; {}", entry_name,
                                arrays_of(entries())));
  }
  const std::unique_ptr<ByteSource> source = state_->zip.open(*entry);
  require_memory(source->remaining(), source->place(), "what it unpacks to");
  // In steps: only as much memory as the data has really filled, and a step.
  constexpr int64_t kStep = int64_t{1} << 24;
  std::string bytes;
  while (source->remaining() > 0) {
    const size_t used = bytes.size();
    const int64_t step = std::min(source->remaining(), kStep);
    bytes.resize(used + static_cast<size_t>(step));
    source->read(bytes.data() + used, step);
  }
  source->finish();
  return bytes;
}

struct NpzWriter::State {
  State(const std::filesystem::path& path, Compression compression)
      : zip(path),
        place(path.string()),
        method(compression == Compression::stored ? ZipMethod::stored
                                                  : ZipMethod::deflated) {}
  ZipWriter zip;
  std::string place;
  ZipMethod method;
};

NpzWriter::NpzWriter(const std::filesystem::path& path, Compression compression)
    : state_(std::make_unique<State>(path, compression)) {}

NpzWriter::~NpzWriter() = default;

void NpzWriter::add(const std::string& name, const at::Tensor& values) {
  const at::Tensor rows = to_writable(values, state_->place + ":" + name);
  const std::string header = npy_header(rows);
  state_->zip.add(with_suffix(name), state_->method,
                  {header, tensor_bytes(rows)});
}

void NpzWriter::add_rows(const std::string& name, at::ScalarType type,
                         int64_t row_size,
                         const std::vector<std::string_view>& rows) {
  const size_t row_bytes =
      static_cast<size_t>(row_size) * c10::elementSize(type);
  for (const std::string_view row : rows) {
    if (row.size() == row_bytes) continue;
    fail_in(state_->place, fmt::format("{}: a row has {} bytes, expected {}",
                                       name, row.size(), row_bytes));
  }
  const std::string header =
      npy_header(type, {static_cast<int64_t>(rows.size()), row_size});
  std::vector<std::string_view> parts = {header};
  parts.insert(parts.end(), rows.begin(), rows.end());
  state_->zip.add(with_suffix(name), state_->method, parts);
}

void NpzWriter::add_bytes(const std::string& entry, std::string_view bytes) {
  state_->zip.add(entry, state_->method, {bytes});
}

void NpzWriter::finish() { state_->zip.finish(); }

}  // namespace ordered_gnn::core
