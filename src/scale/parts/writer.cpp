#include "scale/parts/writer.h"

#include <system_error>
#include <utility>

#include "core/affixes.h"
#include "core/io/file.h"
#include "ordered_gnn/core/error.h"
#include "scale/parts/npy_stream.h"

namespace ordered_gnn::scale {
namespace {

namespace fs = std::filesystem;

// Rows of features that are in memory at a time.
constexpr int64_t kPieceRows = 8192;

bool is_name_of_ours(const std::string& name) {
  return core::starts_with(name, "part-") || name == "parts.json" ||
         core::starts_with(name, ".parts.json.");
}

// Whether a folder holds nothing but what a writer makes.
bool holds_only_parts(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (!is_name_of_ours(entry.path().filename().string())) return false;
  }
  return true;
}

void make_room(const fs::path& folder, bool replace) {
  require_free_folder(folder, replace);  // it may have come about meanwhile
  std::error_code failed;
  if (fs::exists(fs::symlink_status(folder, failed)) &&
      !core::remove_tree(folder)) {
    fail_in(folder, "cannot be replaced: it could not be deleted");
  }
  if (!fs::create_directory(folder, failed) || failed) {
    fail_in(folder, fmt::format("cannot be made: {}",
                                failed ? failed.message() : "it is there"));
  }
}

}  // namespace

void require_free_folder(const fs::path& folder, bool replace) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(folder, ignored))) return;
  if (!fs::is_directory(folder, ignored) || !holds_only_parts(folder)) {
    fail_in(folder,
            "is there and is no folder of parts of ours; choose another --out");
  }
  if (fs::exists(folder / "parts.json") && !replace) {
    fail_in(folder,
            "holds parts already; --force replaces them, or choose another "
            "--out");
  }
}

PartsWriter::PartsWriter(fs::path folder, PartsManifest manifest, bool replace)
    : folder_(std::move(folder)), manifest_(std::move(manifest)) {
  make_room(folder_, replace);
}

PartsWriter::~PartsWriter() {
  dense_.clear();  // deletes what it has begun to write
  if (!is_done_) core::remove_tree(folder_);
}

void PartsWriter::add(int64_t part, const std::string& name,
                      const at::Tensor& values) {
  const std::string file = part_file(part, name);
  manifest_.files[file] = write_array(path_of(file), values);
}

// Of a file of a part, whose folder is there then.
fs::path PartsWriter::path_of(const std::string& file) const {
  std::error_code ignored;
  fs::create_directory((folder_ / file).parent_path(), ignored);
  return folder_ / file;
}

void PartsWriter::add_lists(int64_t part, const Adjacency& in,
                            const Adjacency& out) {
  add(part, "in.rowptr.npy", in.rowptr);
  add(part, "in.col.npy", in.col);
  add(part, "out.rowptr.npy", out.rowptr);
  add(part, "out.col.npy", out.col);
}

void PartsWriter::add_nodes(int64_t part, const at::Tensor& labels,
                            const at::Tensor& splits,
                            const at::Tensor& original) {
  add(part, "labels.npy", labels);
  add(part, "splits.npy", splits);
  add(part, "original.npy", original);
}

void PartsWriter::add_dense(
    int64_t part,
    const std::function<at::Tensor(int64_t begin, int64_t end)>& piece) {
  const std::string file = part_file(part, "features.npy");
  const int64_t rows = manifest_.rows_of(part);
  NpyStream stream(path_of(file), at::kFloat, {rows, manifest_.num_features});
  for (int64_t begin = 0; begin < rows; begin += kPieceRows) {
    stream.add(piece(begin, std::min(rows, begin + kPieceRows)));
  }
  manifest_.files[file] = stream.finish();
}

void PartsWriter::add_sparse(int64_t part, const SparseRows& rows) {
  add(part, "features.rowptr.npy", rows.rowptr);
  add(part, "features.col.npy", rows.col);
  add(part, "features.value.npy", rows.value);
}

void PartsWriter::append_dense(int64_t part, const at::Tensor& rows) {
  std::unique_ptr<NpyStream>& stream = dense_[part];
  if (!stream) {
    stream = std::make_unique<NpyStream>(
        path_of(part_file(part, "features.npy")), at::kFloat,
        std::vector<int64_t>{manifest_.rows_of(part), manifest_.num_features});
  }
  stream->add(rows);
}

void PartsWriter::set_sizes(std::vector<PartSize> sizes) {
  manifest_.parts = std::move(sizes);
}

void PartsWriter::set_data_fingerprint(std::string fingerprint) {
  manifest_.data_fingerprint = std::move(fingerprint);
}

PartsManifest PartsWriter::finish() {
  for (auto& [part, stream] : dense_) {
    manifest_.files[part_file(part, "features.npy")] = stream->finish();
  }
  dense_.clear();
  write_manifest(folder_, manifest_);
  is_done_ = true;
  return manifest_;
}

}  // namespace ordered_gnn::scale
