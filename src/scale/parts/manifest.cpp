#include "scale/parts/manifest.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "core/io/file.h"
#include "core/io/json_numbers.h"
#include "core/io/json_reader.h"
#include "core/io/sha256.h"
#include "core/visible_text.h"
#include "data/tables/column_json.h"
#include "data/treatment_json.h"

namespace ordered_gnn::scale {
namespace {

const char* const kFormat = "ognn-parts";
const char* const kFile = "parts.json";
// A line for each of eight to ten files of a part, and names of columns.
constexpr int64_t kMostBytes = int64_t{1} << 28;

Json parts_json(const PartsManifest& manifest) {
  Json list = Json::array();
  for (const PartSize& part : manifest.parts) {
    list.push_back({{"in_edges", part.in_edges},
                    {"out_edges", part.out_edges},
                    {"cut_edges", part.cut_edges},
                    {"in_halo", part.in_halo},
                    {"out_halo", part.out_halo}});
  }
  return list;
}

Json files_json(const PartsManifest& manifest) {
  Json files = Json::object();
  for (const auto& [name, mark] : manifest.files) {
    files[name] = {{"bytes", mark.bytes}, {"sha256", mark.sha256}};
  }
  return files;
}

Json to_json(const PartsManifest& manifest) {
  return {{"format", kFormat},
          {"version", kPartsVersion},
          {"name", manifest.name},
          {"num_nodes", manifest.num_nodes},
          {"num_edges", manifest.num_edges},
          {"num_features", manifest.num_features},
          {"num_classes", manifest.num_classes},
          {"sparse_features", manifest.sparse_features},
          {"feature_values", manifest.feature_values},
          {"num_splits", manifest.num_splits},
          {"split_set", manifest.split_set},
          {"class_names", manifest.class_names},
          {"feature_names", manifest.feature_names},
          {"columns", data::columns_json(manifest.columns)},
          {"treatment", Json(data::treatment_json(manifest.treatment))},
          {"data_fingerprint", manifest.data_fingerprint},
          {"method", manifest.method},
          {"bounds", manifest.bounds},
          {"parts", parts_json(manifest)},
          {"files", files_json(manifest)}};
}

std::string sha256_of_text(const std::string& text) {
  core::Sha256 hash;
  hash.update(text);
  return hash.hex();
}

std::vector<PartSize> parts_of_json(const Json& list) {
  std::vector<PartSize> parts;
  for (const Json& item : list) {
    parts.push_back({core::whole_number(item, "in_edges"),
                     core::whole_number(item, "out_edges"),
                     core::whole_number(item, "cut_edges"),
                     core::whole_number(item, "in_halo"),
                     core::whole_number(item, "out_halo")});
  }
  return parts;
}

std::map<std::string, FileMark> files_of_json(const Json& object) {
  std::map<std::string, FileMark> files;
  for (const auto& [name, mark] : object.items()) {
    files[name] = {core::whole_number(mark, "bytes"),
                   mark.at("sha256").get<std::string>()};
  }
  return files;
}

std::vector<int64_t> bounds_of_json(const Json& list) {
  std::vector<int64_t> bounds;
  for (const Json& item : list) {
    if (!core::is_whole_number(item)) fail("'bounds' must be whole numbers");
    bounds.push_back(item.get<int64_t>());
  }
  return bounds;
}

PartsManifest from_json(const Json& json) {
  PartsManifest manifest;
  manifest.name = json.at("name").get<std::string>();
  manifest.num_nodes = core::whole_number(json, "num_nodes", 1);
  manifest.num_edges = core::whole_number(json, "num_edges");
  manifest.num_features =
      core::whole_number(json, "num_features", 0, kMaxFeatures);
  manifest.num_classes =
      core::whole_number(json, "num_classes", 0, kMaxClasses);
  manifest.sparse_features = json.at("sparse_features").get<bool>();
  manifest.feature_values = core::whole_number(json, "feature_values");
  manifest.num_splits = core::whole_number(json, "num_splits");
  manifest.split_set = json.at("split_set").get<std::string>();
  manifest.class_names = json.at("class_names").get<std::vector<std::string>>();
  manifest.feature_names =
      json.at("feature_names").get<std::vector<std::string>>();
  manifest.columns = data::columns_from_json(json.at("columns"));
  manifest.treatment = data::treatment_from_json(json.at("treatment"));
  manifest.data_fingerprint = json.at("data_fingerprint").get<std::string>();
  manifest.method = json.at("method").get<std::string>();
  manifest.bounds = bounds_of_json(json.at("bounds"));
  manifest.parts = parts_of_json(json.at("parts"));
  manifest.files = files_of_json(json.at("files"));
  return manifest;
}

// The files that parts have.
std::set<std::string> files_of_parts(const PartsManifest& manifest) {
  std::vector<std::string> names = {
      "in.rowptr.npy", "in.col.npy", "out.rowptr.npy", "out.col.npy",
      "labels.npy",    "splits.npy", "original.npy"};
  if (manifest.sparse_features) {
    names.insert(names.end(), {"features.rowptr.npy", "features.col.npy",
                               "features.value.npy"});
  } else {
    names.emplace_back("features.npy");
  }
  std::set<std::string> files;
  for (int64_t p = 0; p < manifest.num_parts(); ++p) {
    for (const std::string& name : names) files.insert(part_file(p, name));
  }
  return files;
}

// Entries become paths that are opened, so that one made by hand could lead
// out of the folder; and a file without an entry would be held against nothing.
void check_files(const PartsManifest& manifest) {
  constexpr size_t kMostShown = 200;
  const std::set<std::string> files = files_of_parts(manifest);
  for (const auto& item : manifest.files) {
    if (files.count(item.first) > 0) continue;
    fail(
        "'files' names '{}', which is no file of its parts; make the parts "
        "again with 'ognn partition'",
        core::visible(item.first.substr(0, kMostShown)));
  }
  for (const std::string& file : files) {
    if (manifest.files.count(file) > 0) continue;
    fail(
        "says nothing of {} in 'files'; make the parts again with 'ognn "
        "partition'",
        file);
  }
}

// Memory and bytes on the wire are predicted by these.
void check_size(const PartsManifest& manifest, int64_t part) {
  const PartSize& size = manifest.parts[part];
  const auto require = [&](const char* name, int64_t count, int64_t most,
                           const char* of_what) {
    if (count <= most) return;
    fail(
        "part {} has '{}' {}, which is more than the {} {}; make the parts "
        "again with 'ognn partition'",
        part, name, count, most, of_what);
  };
  const int64_t others = manifest.num_nodes - manifest.rows_of(part);
  require("in_halo", size.in_halo, others, "nodes of other parts");
  require("out_halo", size.out_halo, others, "nodes of other parts");
  require("cut_edges", size.cut_edges, size.in_edges, "messages it receives");
  require("in_halo", size.in_halo, size.cut_edges,
          "messages it receives from other parts");
  require("out_halo", size.out_halo, size.out_edges, "messages it sends");
}

// What checksums cannot tell: a file that was made by hand.
void check(const PartsManifest& manifest) {
  const int64_t parts = manifest.num_parts();
  const std::vector<int64_t>& bounds = manifest.bounds;
  if (parts < 1 || parts > kMostParts) {
    fail("it has {} parts, expected 1 to {}", parts, kMostParts);
  }
  if (static_cast<int64_t>(bounds.size()) != parts + 1 || bounds.front() != 0 ||
      bounds.back() != manifest.num_nodes) {
    fail("'bounds' must be {} numbers from 0 to the number of nodes, {}",
         parts + 1, manifest.num_nodes);
  }
  for (int64_t p = 0; p < parts; ++p) {
    if (bounds[p + 1] <= bounds[p]) fail("part {} has no node", p);
    check_size(manifest, p);
  }
  check_files(manifest);
}

}  // namespace

int64_t PartsManifest::part_of(int64_t node) const {
  return std::upper_bound(bounds.begin(), bounds.end(), node) - bounds.begin() -
         1;
}

std::string parts_fingerprint(const PartsManifest& manifest) {
  return sha256_of_text(to_json(manifest).dump());
}

bool is_parts_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return false;
  return path.extension() == ".parts" ||
         std::filesystem::exists(path / kFile, ignored);
}

std::string part_file(int64_t part, const std::string& name) {
  return fmt::format("part-{:04}/{}", part, name);
}

PartsManifest read_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kFile;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    fail_in(folder,
            "is no folder of parts: it has no parts.json, which is written "
            "last; make the parts again with 'ognn partition'");
  }
  core::JsonRules rules;
  rules.max_bytes = kMostBytes;
  Json json = core::read_json(file, rules);
  return core::reading(file, [&] {
    if (!json.is_object() || json.value("format", "") != kFormat) {
      fail("is not the manifest of a folder of parts ('format' is not '{}')",
           kFormat);
    }
    const int64_t version = core::whole_number(json, "version");
    if (version != kPartsVersion) {
      fail(
          "is of version {} of this layout, and this program reads version {}; "
          "make the parts again with 'ognn partition'",
          version, kPartsVersion);
    }
    const std::string stated = json.at("content_sha256").get<std::string>();
    json.erase("content_sha256");
    if (sha256_of_text(json.dump()) != stated) {
      fail(
          "was changed since it was written (its checksum does not fit); make "
          "the parts again with 'ognn partition'");
    }
    PartsManifest manifest = from_json(json);
    check(manifest);
    return manifest;
  });
}

void write_manifest(const std::filesystem::path& folder,
                    const PartsManifest& manifest) {
  Json json = to_json(manifest);
  json["content_sha256"] = sha256_of_text(json.dump());
  core::write_file(folder / kFile, json.dump(1) + "\n");
}

}  // namespace ordered_gnn::scale
