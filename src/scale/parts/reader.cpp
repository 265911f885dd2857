#include "scale/parts/reader.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <system_error>
#include <utility>

#include "core/io/npy/npy.h"
#include "core/io/sha256.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {
namespace {

const char* const kRemedy =
    "; copy the folder again, or make the parts again with 'ognn partition'";

void verify_file(const std::filesystem::path& file, const FileMark& mark) {
  std::error_code failed;
  const auto bytes =
      static_cast<int64_t>(std::filesystem::file_size(file, failed));
  if (failed) {
    fail_in(file, fmt::format("is missing or cannot be read ({}){}",
                              failed.message(), kRemedy));
  }
  if (bytes != mark.bytes) {
    fail_in(file, fmt::format("has {} bytes, expected {}: it was cut or "
                              "changed{}",
                              bytes, mark.bytes, kRemedy));
  }
  if (core::sha256_of_file(file) != mark.sha256) {
    fail_in(file, fmt::format("was changed since it was written: its checksum "
                              "does not fit{}",
                              kRemedy));
  }
}

// The files of one part; all checks name the one at fault.
class PartFiles {
 public:
  PartFiles(const std::filesystem::path& folder, const PartsManifest& manifest,
            int64_t part)
      : folder_(folder), manifest_(manifest), part_(part) {}

  at::Tensor read(const std::string& name, at::IntArrayRef sizes,
                  at::ScalarType type) const {
    const std::string inside = part_file(part_, name);
    const std::filesystem::path file = folder_ / inside;
    const auto mark = manifest_.files.find(inside);
    if (mark == manifest_.files.end()) {
      fail_in(folder_ / "parts.json",
              fmt::format("says nothing of {}{}", inside, kRemedy));
    }
    verify_file(file, mark->second);
    at::Tensor values = core::read_npy(file);
    // An extent of -1 may be anything.
    bool fits = values.scalar_type() == type &&
                values.dim() == static_cast<int64_t>(sizes.size());
    for (size_t i = 0; fits && i < sizes.size(); ++i) {
      fits = sizes[i] < 0 || values.size(static_cast<int64_t>(i)) == sizes[i];
    }
    if (!fits) {
      fail_in(file, fmt::format("is {} of type {}, which does not fit "
                                "parts.json{}",
                                c10::str(values.sizes()),
                                c10::toString(values.scalar_type()), kRemedy));
    }
    return values;
  }

  [[noreturn]] void refuse(const std::string& name,
                           const std::string& why) const {
    fail_in(folder_ / part_file(part_, name), why + kRemedy);
  }

 private:
  const std::filesystem::path& folder_;
  const PartsManifest& manifest_;
  const int64_t part_;
};

bool is_in(const at::Tensor& values, int64_t least, int64_t end) {
  return values.numel() == 0 || (values.min().item<int64_t>() >= least &&
                                 values.max().item<int64_t>() < end);
}

bool rises(const at::Tensor& values, int64_t least_step) {
  return values.numel() < 2 ||
         values.diff().min().item<int64_t>() >= least_step;
}

Adjacency read_lists(const PartFiles& files, const std::string& which,
                     const PartsManifest& manifest, int64_t rows,
                     int64_t entries) {
  const bool narrow = manifest.num_nodes <= std::numeric_limits<int32_t>::max();
  Adjacency lists;
  lists.rowptr = files.read(which + ".rowptr.npy", {rows + 1}, at::kLong);
  lists.col =
      files.read(which + ".col.npy", {entries}, narrow ? at::kInt : at::kLong);
  if (lists.rowptr[0].item<int64_t>() != 0 ||
      lists.rowptr[rows].item<int64_t>() != entries ||
      !rises(lists.rowptr, 0)) {
    files.refuse(which + ".rowptr.npy", "is no list of rows");
  }
  if (!is_in(lists.col, 0, manifest.num_nodes)) {
    files.refuse(which + ".col.npy", "names a node that is not there");
  }
  return lists;
}

NodeFeatures read_features(const PartFiles& files,
                           const PartsManifest& manifest, int64_t rows) {
  const int64_t width = manifest.num_features;
  if (!manifest.sparse_features) {
    return NodeFeatures::dense(
        files.read("features.npy", {rows, width}, at::kFloat));
  }
  SparseRows sparse;
  sparse.rowptr = files.read("features.rowptr.npy", {rows + 1}, at::kLong);
  sparse.col = files.read("features.col.npy", {-1}, at::kInt);
  sparse.value =
      files.read("features.value.npy", {sparse.col.numel()}, at::kFloat);
  return NodeFeatures::sparse(std::move(sparse), width);
}

}  // namespace

Part read_part_nodes(const std::filesystem::path& folder,
                     const PartsManifest& manifest, int64_t index) {
  const PartFiles files(folder, manifest, index);
  const int64_t rows = manifest.rows_of(index);
  Part part;
  part.index = index;
  part.first = manifest.bounds[index];
  part.labels = files.read("labels.npy", {rows}, at::kLong);
  if (!is_in(part.labels, -1, manifest.num_classes)) {
    files.refuse("labels.npy", "has a label that is no class");
  }
  part.splits =
      files.read("splits.npy", {manifest.num_splits, rows}, at::kByte);
  if (!is_in(part.splits, 0, 4)) {
    files.refuse("splits.npy", "has a mark that is not 0, 1, 2 or 3");
  }
  part.original = files.read("original.npy", {rows}, at::kLong);
  if (!is_in(part.original, 0, manifest.num_nodes) ||
      !rises(part.original, 1)) {
    files.refuse("original.npy", "is no rising list of nodes");
  }
  return part;
}

Part read_part(const std::filesystem::path& folder,
               const PartsManifest& manifest, int64_t index) {
  const PartFiles files(folder, manifest, index);
  const PartSize& size = manifest.parts[index];
  Part part = read_part_nodes(folder, manifest, index);
  const int64_t rows = part.rows();
  part.in = read_lists(files, "in", manifest, rows, size.in_edges);
  part.out = read_lists(files, "out", manifest, rows, size.out_edges);
  part.features = read_features(files, manifest, rows);
  return part;
}

void verify_parts(const std::filesystem::path& folder,
                  const PartsManifest& manifest) {
  for (const auto& [name, mark] : manifest.files) {
    verify_file(folder / name, mark);
  }
}

}  // namespace ordered_gnn::scale
