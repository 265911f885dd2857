#include "fuzz/harness.h"

#include <cstdlib>
#include <fstream>

#include "core/io/file.h"
#include "core/io/npy/npz.h"
#include "fuzz/parts.h"
#include "ordered_gnn/data/loaders.h"

namespace ordered_gnn::fuzz {
namespace {

namespace fs = std::filesystem;

class Scratch {
 public:
  // No process id in it: a fuzzer learns from the strings that are compared,
  // and with one seed it is to do the same at every run.
  Scratch() : path_(fs::temp_directory_path() / "ordered_gnn_fuzz") {}
  ~Scratch() { core::remove_tree(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write_quickly(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

const Loader& known_loader(const fs::path& path, const std::string& format) {
  const Loader* loader = nullptr;
  must_succeed("no such loader", [&] { loader = &find_loader(path, format); });
  return *loader;
}

}  // namespace

bool strict() {
  static const bool is_set = std::getenv("OGNN_FUZZ_STRICT") != nullptr;
  return is_set;
}

fs::path fresh_folder() {
  static const Scratch scratch;
  core::remove_tree(scratch.path());
  const fs::path folder = scratch.path() / "input";
  fs::create_directories(folder);
  return folder;
}

fs::path write_input(std::string_view bytes, const std::string& name) {
  const fs::path path = fresh_folder() / name;
  write_quickly(path, bytes);
  return path;
}

fs::path write_folder(std::string_view input) {
  const fs::path folder = fresh_folder();
  for (const Part& part : split_parts(input)) {
    const fs::path file = folder / part.name;
    std::error_code ignored;  // a name may be the folder of another one
    fs::create_directories(file.parent_path(), ignored);
    write_quickly(file, part.bytes);
  }
  return folder;
}

fs::path write_npz(std::string_view input, const std::string& name) {
  const fs::path path = fresh_folder() / name;
  core::NpzWriter archive(path);
  for (const Part& part : split_parts(input)) {
    archive.add_bytes(part.name, part.bytes);
  }
  archive.finish();
  return path;
}

void load_dataset(const fs::path& path, const std::string& format) {
  const Loader& loader = known_loader(path, format);
  loader.recognises(path);
  const RawDataset raw = loader.load(path, LoadOptions{});
  must_succeed("the loaded dataset is not valid", [&] {
    validate(raw);
    Treatment treatment;
    treatment.features = Treatment::Features::raw;
    prepare(raw, treatment);
  });
}

}  // namespace ordered_gnn::fuzz
