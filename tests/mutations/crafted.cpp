#include "mutations/crafted.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cstring>

#include "core/affixes.h"
#include "core/io/sha256.h"
#include "mutations/archives.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/options.h"

namespace ordered_gnn::mutations {
namespace {

constexpr size_t kLevels = 100000;

std::string deep_json(bool is_closed) {
  std::string text(kLevels, '[');
  if (is_closed) text.append(kLevels, ']');
  return text;
}

std::string deep_object() {
  std::string text;
  for (size_t i = 0; i < kLevels; ++i) text += "{\"a\":";
  return text + "1" + std::string(kLevels, '}');
}

// The text of an object of which one value is deep; put in as text, for such
// JSON is not to be handled here either.
std::string with_deep_value(Json object, const std::string& key) {
  const std::string mark = "@deep@";
  object[key] = mark;
  std::string text = object.dump();
  return text.replace(text.find(mark) - 1, mark.size() + 2, deep_json(true));
}

// The header of a safetensors file, and the file with another one.
Json header_of(const std::string& file) {
  uint64_t size = 0;
  std::memcpy(&size, file.data(), sizeof(size));
  return Json::parse(file.substr(sizeof(size), size));
}

std::string with_header(const std::string& file, const std::string& header) {
  uint64_t size = 0;
  std::memcpy(&size, file.data(), sizeof(size));
  const std::string data = file.substr(sizeof(size) + size);
  const uint64_t now = header.size();
  std::string text(sizeof(now), '\0');
  std::memcpy(text.data(), &now, sizeof(now));
  return text + header + data;
}

// Sets a value inside one text of the metadata, which is JSON itself.
std::string with_metadata(const std::string& file, const std::string& text,
                          const std::string& key, const Json& value) {
  Json header = header_of(file);
  Json& metadata = header.at("__metadata__");
  Json inner = Json::parse(metadata.at(text).get<std::string>());
  inner[key] = value;
  metadata[text] = inner.dump();
  return with_header(file, header.dump());
}

void add_deep_json(const std::string& subject, const Files& sample,
                   std::vector<Crafted>& cases) {
  for (const auto& [file, content] : sample) {
    if (!core::ends_with(file, ".json") && !core::ends_with(file, ".jsonl")) {
      continue;
    }
    const auto add = [&cases, &subject, file = file](const std::string& what,
                                                     const std::string& text) {
      cases.push_back(
          {subject, fmt::format("{} with {}", file, what),
           [file, text](Files& files) { files[file] = text + "\n"; }});
    };
    add("deep arrays", deep_json(true));
    add("deep arrays, cut", deep_json(false));
    add("deep objects", deep_object());
    const bool is_log = core::ends_with(file, ".jsonl");
    const Json object =
        Json::parse(is_log ? content.substr(0, content.find('\n')) : content);
    for (const auto& [key, value] : object.items()) {
      add("a deep " + key, with_deep_value(object, key));
    }
  }
}

void add_numbers(const std::string& subject, const std::string& file,
                 const std::string& text, const std::vector<std::string>& keys,
                 std::vector<Crafted>& cases) {
  const std::vector<Json> numbers = {
      -1,  2147483648,     9223372036854775807, 1e300, 0.5, Json(nullptr),
      "1", deep_json(true)};
  for (const std::string& key : keys) {
    for (const Json& number : numbers) {
      cases.push_back({subject,
                       fmt::format("{} with {}.{} {}", file, text, key,
                                   number.dump().substr(0, 20)),
                       [=](Files& files) {
                         files[file] =
                             with_metadata(files[file], text, key, number);
                       }});
    }
  }
}

// Texts of the metadata as a whole, and headers that state too much.
void add_headers(const std::string& subject, const std::string& file,
                 const std::vector<std::string>& texts,
                 std::vector<Crafted>& cases) {
  for (const std::string& text : texts) {
    cases.push_back({subject, fmt::format("{} with a deep {}", file, text),
                     [=](Files& files) {
                       Json header = header_of(files[file]);
                       header.at("__metadata__")[text] = deep_json(true);
                       files[file] = with_header(files[file], header.dump());
                     }});
  }
  cases.push_back({subject, file + " with a deep header", [=](Files& files) {
                     files[file] = with_header(files[file], deep_object());
                   }});
  cases.push_back(
      {subject, file + " with 60000 tensors", [=](Files& files) {
         Json header = header_of(files[file]);
         for (int64_t i = 0; i < 60000; ++i) {
           header[fmt::format("tensor {}", i)] = {
               {"dtype", "F32"}, {"shape", {0}}, {"data_offsets", {0, 0}}};
         }
         files[file] = with_header(files[file], header.dump());
       }});
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindow, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    fail("zlib cannot start");
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Members of a gzip file follow each other, so that a short one can be
// repeated.
std::string bomb(const std::string& line) {
  constexpr size_t kMember = size_t{1} << 20;
  constexpr int kMembers = 4096;
  std::string text;
  while (text.size() < kMember) text += line;
  const std::string member = gzipped(text);
  std::string out;
  for (int i = 0; i < kMembers; ++i) out += member;
  return out;
}

void add_bombs(std::vector<Crafted>& cases) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"raw/edge.csv.gz", "0,1\n"},
      {"raw/node-feat.csv.gz", "0.5,-1\n"},
      {"raw/node-label.csv.gz", "1\n"}};
  for (const auto& [file, line] : files) {
    cases.push_back(
        {"ogb", file + " of 4 GB", [file = file, line = line](Files& sample) {
           std::string_view plain = file;
           core::take_suffix(plain, ".gz");
           sample.erase(std::string(plain));
           sample[file] = bomb(line);
         }});
  }
  cases.push_back(
      {"ogb", "raw/edge.csv.gz of a line of 4 GB",
       [](Files& sample) { sample["raw/edge.csv.gz"] = bomb("1"); }});
}

void add_archive_meta(const std::string& subject, const Files& sample,
                      std::vector<Crafted>& cases) {
  for (const auto& [file, content] : sample) {
    if (!core::ends_with(file, ".npz")) continue;
    if (unpacked(content).count("meta.json") == 0) continue;
    cases.push_back(
        {subject, file + " with a deep meta.json", [file = file](Files& files) {
           Files entries = unpacked(files[file]);
           entries["meta.json"] = deep_json(true);
           files[file] = packed(entries);
         }});
  }
}

std::string sha256_of(const std::string& text) {
  core::Sha256 hash;
  hash.update(text);
  return hash.hex();
}

// Paths out of the folder as files of parts, under a checksum that fits.
void add_part_names(std::vector<Crafted>& cases) {
  const std::string file = "g.parts/parts.json";
  const std::string empty = sha256_of("");
  for (const std::string& name :
       {std::string("/dev/null"), std::string("/proc/self/mem"),
        std::string("../../graph.npz"), std::string("part-0000/../parts.json"),
        std::string("part-9999/labels.npy"),
        std::string("part-0000/") + std::string(1 << 16, 'x')}) {
    cases.push_back(
        {"parts", fmt::format("{} with the file {}", file, name.substr(0, 40)),
         [=](Files& files) {
           Json json = Json::parse(files[file]);
           json["files"][name] = {{"bytes", 0}, {"sha256", empty}};
           json.erase("content_sha256");
           json["content_sha256"] = sha256_of(json.dump());
           files[file] = json.dump();
         }});
  }
}

}  // namespace

std::vector<Crafted> crafted_cases(
    const std::map<std::string, Files>& samples) {
  std::vector<Crafted> cases;
  for (const auto& [subject, files] : samples) {
    add_deep_json(subject, files, cases);
    add_archive_meta(subject, files, cases);
  }
  const std::string model = "model.safetensors";
  add_numbers("checkpoint", model, "result", {"split", "epoch", "test"}, cases);
  add_numbers("checkpoint", model, "shape",
              {"num_features", "num_classes", "num_nodes"}, cases);
  add_numbers("checkpoint", model, "config", {"layers", "hidden", "chunk"},
              cases);
  add_headers("checkpoint", model,
              {"config", "shape", "class_names", "result", "feature_names",
               "columns", "data_path"},
              cases);
  const std::string state = "split-0/state.safetensors";
  add_numbers("state", state, "progress", {"epoch", "best_epoch", "seconds"},
              cases);
  add_headers("state", state, {"progress", "class_names"}, cases);
  add_bombs(cases);
  add_part_names(cases);
  return cases;
}

}  // namespace ordered_gnn::mutations
