#include "core/io/safetensors/safetensors.h"

#include "core/io/byte_source.h"
#include "core/io/file.h"
#include "core/io/little_endian.h"
#include "core/io/safetensors/checksum.h"
#include "core/io/safetensors/header.h"
#include "core/io/tensor_memory.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

constexpr uint64_t kMaxHeader = 100'000'000;  // the bound of the format

SafetensorsHeader read_header(ByteSource& source) {
  char length_bytes[8];
  source.read(length_bytes, sizeof(length_bytes));
  const uint64_t length = load_le<uint64_t>(length_bytes);
  if (length > kMaxHeader ||
      length > static_cast<uint64_t>(source.remaining())) {
    fail_in(source.place(),
            fmt::format("is no safetensors file or is truncated: it states a "
                        "header of {} bytes, {} bytes follow",
                        length, source.remaining()));
  }
  std::string json(length, '\0');
  source.read(json.data(), static_cast<int64_t>(length));
  return parse_safetensors_header(json, source.remaining(), source.place());
}

// Takes the checksum out of the metadata, and holds the content against it.
void verify_checksum(const std::string& place, TensorFile& content) {
  const auto stated = content.metadata.find(kChecksumKey);
  if (stated == content.metadata.end()) return;
  const std::string then = stated->second;
  content.metadata.erase(stated);
  if (content_sha256(content, place) != then) {
    fail_in(place,
            "is damaged: its content is not what its checksum was made of; "
            "take another copy, or make it again");
  }
  content.is_verified = true;
}

}  // namespace

TensorFile read_safetensors(const std::filesystem::path& path) {
  FileSource source(path);
  SafetensorsHeader header = read_header(source);
  TensorFile content;
  content.metadata = std::move(header.metadata);
  for (const TensorRange& range : header.ranges) {
    const std::string place = source.place() + ": tensor '" + range.name + "'";
    at::Tensor values = allocate_tensor(range.shape, range.dtype, place);
    source.read(values.data_ptr(), range.size);
    if (range.dtype == at::kBool) check_bools(values, place);
    content.tensors.emplace(range.name, std::move(values));
  }
  verify_checksum(source.place(), content);
  return content;
}

void write_safetensors(const std::filesystem::path& path,
                       const TensorFile& content) {
  const std::string place = path.string();
  SafetensorsHeader header;
  header.metadata = content.metadata;
  int64_t end = 0;
  for (const auto& [name, values] : content.tensors) {
    if (!values.defined()) fail_in(place, "tensor '" + name + "' is undefined");
    const int64_t size = static_cast<int64_t>(values.numel()) *
                         static_cast<int64_t>(values.element_size());
    header.ranges.push_back(
        {name, values.scalar_type(), values.sizes().vec(), end, size});
    end += size;
  }
  header.metadata[kChecksumKey] = content_sha256(content, place);
  std::string json = format_safetensors_header(header, place);
  json.append((8 - json.size() % 8) % 8, ' ');
  if (json.size() > kMaxHeader) {
    fail_in(place, "names and metadata need more than 100 MB");
  }
  std::string length;
  append_le(length, static_cast<uint64_t>(json.size()));
  AtomicFile file(path);
  file.write(length);
  file.write(json);
  for (const auto& [name, values] : content.tensors) {
    file.write(tensor_bytes(to_writable(values, place)));
  }
  file.commit();
}

}  // namespace ordered_gnn::core
