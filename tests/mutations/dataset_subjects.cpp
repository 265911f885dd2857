#include <ATen/Functions.h>
#include <fmt/format.h>

#include "core/io/file.h"
#include "data/fetch/checksums.h"
#include "data/formats/csv/added_nodes.h"
#include "data/formats/geom_gcn/split_dictionaries.h"
#include "data/layout/latent_cache.h"
#include "data/tables/import.h"
#include "mutations/subjects.h"
#include "ordered_gnn/data/added_nodes.h"
#include "ordered_gnn/data/loaders.h"
#include "support/dataset_samples.h"
#include "support/temp_dir.h"

namespace ordered_gnn::mutations {
namespace {

namespace fs = std::filesystem;

// What load_path() is given, noted beside the sample.
fs::path place_note(const fs::path& intact) { return intact.string() + ".at"; }

Subject dataset_subject(const DatasetSample& sample) {
  const auto write = [sample](const fs::path& folder) {
    const fs::path dataset = sample.write(folder);
    write_text(place_note(folder), dataset.lexically_relative(folder).string());
  };
  const auto read = [sample](const fs::path& folder, const fs::path& intact) {
    const RawDataset raw =
        load_path(folder / core::read_file(place_note(intact)), sample.format);
    validate(raw);
    Treatment treatment;
    treatment.features = Treatment::Features::raw;
    prepare(raw, treatment);
    return true;
  };
  return {sample.name, write, read};
}

bool import_files(const fs::path& nodes, const fs::path& edges,
                  const std::string& label) {
  data::ImportOptions options;
  options.nodes = nodes;
  options.edges = edges;
  options.label = label;
  const RawDataset raw = data::import_tables(options);
  prepare(raw, resolve_treatment({}, raw));
  return true;
}

Subject tables_subject() {
  const auto write = [](const fs::path& folder) {
    write_text(folder / "nodes.csv",
               "id;age;plan;joined;label\nn0;31;\"a; b\";2020-05-01;x\n"
               "n1;;c;;y\nn2;4,5;c;2021-01-31;\n");
    write_text(folder / "edges.csv",
               "source,target,weight\nn0,n1,1\nn2,n0,0.5\n");
  };
  const auto read = [](const fs::path& folder, const fs::path&) {
    return import_files(folder / "nodes.csv", folder / "edges.csv", "label");
  };
  return {"tables", write, read};
}

Subject graphml_subject() {
  const auto write = [](const fs::path& folder) {
    write_text(folder / "g.graphml",
               "<?xml version=\"1.0\"?><graphml><key id=\"k\" for=\"node\" "
               "attr.name=\"age\"><default>1</default></key><graph "
               "edgedefault=\"directed\"><node id=\"a\"><data key=\"k\">2"
               "</data></node><node id=\"b &amp; c\"/><edge source=\"a\" "
               "target=\"b &amp; c\"/></graph></graphml>");
  };
  const auto read = [](const fs::path& folder, const fs::path&) {
    return import_files(folder / "g.graphml", "", "");
  };
  return {"graphml", write, read};
}

Subject checksums_subject() {
  const auto write = [](const fs::path& folder) {
    const std::string digest(64, 'a');
    write_text(folder / "SHA256SUMS",
               fmt::format("# files\n{0}  a/b.txt\n{0} *c.bin\n", digest));
  };
  const auto read = [](const fs::path& folder, const fs::path&) {
    data::verify_checksums(folder, data::read_checksums(folder / "SHA256SUMS"));
    return true;
  };
  return {"checksums", write, read};
}

Subject split_dictionaries_subject() {
  const auto write = [](const fs::path& folder) {
    write_text(folder / "splits.npy", split_dictionaries_sample());
  };
  const auto read = [](const fs::path& folder, const fs::path&) {
    data::load_split_dictionaries(folder / "splits.npy", 4);
    return true;
  };
  return {"split_dictionaries", write, read};
}

// Two named nodes with two named features.
NodeDataset two_people() {
  RawDataset raw;
  raw.name = "people";
  raw.num_nodes = 2;
  raw.edges = at::arange(2, at::kLong).view({2, 1});
  raw.features = NodeFeatures::dense(at::ones({2, 2}));
  raw.labels = at::full({2}, -1, at::kLong);
  raw.node_names = {"ann", "bob"};
  raw.feature_names = {"age", "income"};
  return prepare(raw, {});
}

Subject added_nodes_subject() {
  const auto write = [](const fs::path& folder) {
    write_text(folder / "new.csv", "who,income,age\neve,10,1\n\"f 2\",20,2\n");
    write_text(folder / "edges.csv", "source,target\neve,ann\nbob,\"f 2\"\n");
  };
  const auto read = [](const fs::path& folder, const fs::path&) {
    const NodeDataset people = two_people();
    with_added(people,
               data::read_added_nodes(
                   people, {folder / "new.csv", folder / "edges.csv", ""}));
    return true;
  };
  return {"added_nodes", write, read};
}

Subject latent_subject() {
  const auto write = [](const fs::path& folder) {
    data::write_latent_file(
        folder / "latent", "key",
        {at::ones({4, 2}), at::arange(4, at::kLong).view({2, 2})});
  };
  const auto read = [](const fs::path& folder, const fs::path&) {
    data::read_latent_file(folder / "latent", "key", 4);
    return true;
  };
  return {"latent", write, read};
}

}  // namespace

std::vector<Subject> dataset_subjects() {
  std::vector<Subject> subjects;
  for (const DatasetSample& sample : dataset_samples()) {
    subjects.push_back(dataset_subject(sample));
  }
  for (const auto make :
       {&tables_subject, &graphml_subject, &checksums_subject,
        &split_dictionaries_subject, &added_nodes_subject, &latent_subject}) {
    subjects.push_back(make());
  }
  return subjects;
}

}  // namespace ordered_gnn::mutations
