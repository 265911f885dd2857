#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "core/io/file.h"
#include "core/io/npy/npy.h"
#include "core/io/npy/npz.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/zip/zip.h"
#include "data/layout/latent_cache.h"
#include "data/tables/column_json.h"
#include "fuzz/corpus.h"
#include "fuzz/parts.h"
#include "support/dataset_samples.h"

namespace fs = std::filesystem;
namespace ordered_gnn {
using namespace fuzz;

namespace {

void write_npy_seeds(const fs::path& out) {
  for (const at::ScalarType dtype :
       {at::kBool, at::kByte, at::kShort, at::kInt, at::kLong, at::kHalf,
        at::kFloat, at::kDouble}) {
    core::write_npy(seed_of(out, "npy", at::toString(dtype)),
                    at::ones({2, 3}, at::TensorOptions().dtype(dtype)));
  }
  core::write_npy(seed_of(out, "npy", "scalar"), at::ones({}));
  core::write_npy(seed_of(out, "npy", "empty"), at::ones({0, 3}));
}

void write_npz_seeds(const fs::path& out) {
  using Compression = core::NpzWriter::Compression;
  for (const Compression compression :
       {Compression::stored, Compression::deflated}) {
    const bool stored = compression == Compression::stored;
    core::NpzWriter archive(seed_of(out, "npz", stored ? "stored" : "deflated"),
                            compression);
    archive.add("x", at::ones({2, 3}));
    archive.add("y", at::zeros({40}, at::kLong));
    archive.add_bytes("meta.json", "{}");
    archive.finish();
  }
}

void write_safetensors_seeds(const fs::path& out) {
  core::TensorFile content;
  content.metadata["config"] = "{}";
  content.tensors["a"] = at::ones({2, 3});
  content.tensors["b"] = at::ones({4}, at::kBool);
  content.tensors["c"] = at::ones({0}, at::kLong);
  core::write_safetensors(seed_of(out, "safetensors", "three"), content);
  core::write_safetensors(seed_of(out, "safetensors", "none"), {});
  data::write_latent_file(
      seed_of(out, "latent", "four"), "key",
      {at::ones({4, 2}), at::zeros({2, 3}, at::TensorOptions(at::kLong))});
}

void write_line_seeds(const fs::path& out) {
  core::write_file(
      seed_of(out, "lines", "numbers"),
      "1,-2,+3\r\n1.5,-2e-3,nan\n,9223372036854775808\n1e400,1e-400");
  core::write_file(seed_of(out, "lines", "marked"),
                   "\xEF\xBB\xBFid,value\n0,1\n");
}

void write_split_seeds(const fs::path& out) {
  const fs::path file = seed_of(out, "split_file", "lists");
  core::NpzWriter archive(file);
  const at::TensorOptions ids(at::kLong);
  archive.add("train", at::arange(2, ids));
  archive.add("val", at::full({1}, 2, ids));
  archive.add("test", at::full({1}, 3, ids));
  archive.finish();
  core::write_file(file, pack_npz(file));
  core::write_file(
      seed_of(out, "split_file", "masks"),
      join_parts(
          {{"masks.csv",
            "node,split_0,split_1\na,train,val\nb,val,test\n2,test,train\n"
            "0,,train\n"}}));
}

// The bytes of every file below `folder` whose name ends in `ending`.
template <typename Use>
void for_each_file(const fs::path& folder, const std::string& ending,
                   const Use& use) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ending) use(entry.path());
  }
}

// One seed per sample for the target of its format. A format whose samples are
// single archives takes their entries, see write_npz() in harness.h.
void write_dataset_seeds(const fs::path& out, const fs::path& scratch) {
  for (const DatasetSample& sample : dataset_samples()) {
    core::remove_tree(scratch);
    fs::create_directories(scratch);
    const fs::path dataset = sample.write(scratch);
    const bool is_archive = dataset.extension() == ".npz";
    std::string target = sample.format == "npz" ? "npz_dataset" : sample.format;
    std::replace(target.begin(), target.end(), '-', '_');
    core::write_file(seed_of(out, target, sample.name),
                     is_archive ? pack_npz(dataset) : pack_folder(dataset));
    for_each_file(scratch, ".gz", [&](const fs::path& file) {
      core::write_file(
          seed_of(out, "lines", sample.name + file.stem().string()),
          core::read_file(file));
    });
    if (sample.name == "geom_gcn") {
      for_each_file(scratch, ".npz", [&](const fs::path& file) {
        core::write_file(seed_of(out, "geom_gcn_split", file.stem().string()),
                         pack_npz(file));
      });
    }
  }
  core::remove_tree(scratch);
}

// What comes from servers.
void write_fetch_seeds(const fs::path& out) {
  const std::string digest(64, 'a');
  core::write_file(
      seed_of(out, "checksums", "three"),
      fmt::format("# files\n{0}  a/b.txt\n{0} *c.bin\n\n", digest));
  core::write_file(seed_of(out, "http", "answers"),
                   "bytes 10-99/100\nbytes 5-7/*\nhttp://host:80/a?b#c\n"
                   "//other/x\n/y\nz");
  core::ZipWriter archive(seed_of(out, "unpack", "two"));
  archive.add("raw/a.txt", core::ZipMethod::stored, {"text"});
  archive.add("raw/b/c.txt", core::ZipMethod::deflated, {std::string(99, 'x')});
  archive.add("other.txt", core::ZipMethod::stored, {""});
  archive.finish();
}

// Pickles are what a Planetoid folder holds.
void write_pickle_seeds(const fs::path& out, const fs::path& scratch) {
  core::write_file(seed_of(out, "split_dictionaries", "two"),
                   split_dictionaries_sample());
  for (const DatasetSample& sample : dataset_samples()) {
    if (sample.format != "planetoid") continue;
    fs::create_directories(scratch);
    sample.write(scratch);
    for (const auto& entry : fs::directory_iterator(scratch)) {
      if (entry.path().extension() == ".index") continue;  // plain text
      fs::copy_file(entry.path(),
                    seed_of(out, "pickle", entry.path().filename().string()),
                    fs::copy_options::overwrite_existing);
    }
    core::remove_tree(scratch);
  }
}

// A name that is all prefix and suffix and nothing between, beside a dataset.
void write_name_seeds(const fs::path& out, const fs::path& scratch) {
  for (const DatasetSample& sample : dataset_samples()) {
    if (sample.format != "planetoid") continue;
    fs::create_directories(scratch);
    sample.write(scratch);
    core::write_file(scratch / "ind.gz", "");
    core::write_file(seed_of(out, "planetoid", sample.name + "_ind_gz"),
                     pack_folder(scratch));
    core::remove_tree(scratch);
  }
}

void write_table_seeds(const fs::path& out) {
  const std::string nodes =
      "id;age;plan;joined;label\nn0;31;\"a; \"\"b\"\"\";2020-05-01;x\n"
      "n1;;c;;y\nn2;4,5;c;2021-01-31;\n";
  const std::string edges = "source,target\nn0,n1\nn2,n0\n";
  const std::string graphml =
      "<?xml version=\"1.0\"?><graphml><key id=\"k\" for=\"node\" "
      "attr.name=\"age\"><default>1</default></key>\n<graph "
      "edgedefault=\"directed\"><node id=\"a\"><data key=\"k\">2</data></node>"
      "<node id=\"b &amp; c\"/>\n<edge source=\"a\" target=\"b &amp; c\"/>"
      "</graph></graphml>";
  core::write_file(seed_of(out, "tables", "csv"),
                   join_parts({{"nodes.csv", nodes}, {"edges.csv", edges}}));
  core::write_file(seed_of(out, "tables", "list"),
                   join_parts({{"nodes.csv", nodes},
                               {"edges.csv", "# a list\nn0 n1 {}\n"}}));
  core::write_file(seed_of(out, "tables", "graphml"),
                   join_parts({{"g.graphml", graphml}}));
}

// What joins a dataset, and how columns become features.
void write_joining_seeds(const fs::path& out) {
  const std::string nodes = "id,a,b,c\nx,1,2,3\ny,-1,0.5,1e-3\n";
  const std::string edges = "source,target\nx,n0\nn1,y\nn2,n3\n";
  core::write_file(seed_of(out, "added_nodes", "both"),
                   join_parts({{"nodes.csv", nodes}, {"edges.csv", edges}}));
  core::write_file(seed_of(out, "added_nodes", "edges"),
                   join_parts({{"edges.csv", "source,target\nn0,n5\n"}}));
  std::vector<Column> columns(4);
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i].kind = static_cast<ColumnKind>(i);
    columns[i].name = to_string(columns[i].kind);
  }
  columns[1].categories = {"blue", "red"};
  columns[1].has_other = true;
  columns[2].categories = {"no", "yes"};
  columns[3].flags_missing = true;
  const std::string text = data::columns_json(columns).dump();
  const std::string table =
      "id,number,category,yes_no,date,label\nn0,1.5,red,yes,2020-02-29,p\n"
      "n1,,green,no,,q\nn2,3,blue,,1969-12-31,p\n";
  core::write_file(seed_of(out, "columns", "four"),
                   join_parts({{"columns.json", text},
                               {"nodes.csv", table},
                               {"edges.csv", "source,target\nn0,n1\n"}}));
}

}  // namespace

void fuzz::write_data_seeds(const fs::path& out, const fs::path& scratch) {
  write_npy_seeds(out);
  write_npz_seeds(out);
  write_table_seeds(out);
  write_joining_seeds(out);
  write_safetensors_seeds(out);
  write_line_seeds(out);
  write_split_seeds(out);
  write_fetch_seeds(out);
  write_pickle_seeds(out, scratch);
  write_name_seeds(out, scratch);
  write_dataset_seeds(out, scratch);
}

}  // namespace ordered_gnn
