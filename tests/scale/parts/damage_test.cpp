#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/io/file.h"
#include "core/io/sha256.h"
#include "scale/parts/manifest.h"
#include "scale/parts/npy_stream.h"
#include "scale/parts/reader.h"
#include "scale/parts_support.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

class DamagedParts : public ::testing::Test {
 protected:
  void SetUp() override { write_test_parts(parts_data(), 3, folder_); }

  std::string read() const {
    return error_of([&] {
      const PartsManifest manifest = read_manifest(folder_);
      for (int64_t p = 0; p < manifest.num_parts(); ++p) {
        read_part(folder_, manifest, p);
      }
    });
  }
  std::string text(const std::string& name) const {
    return core::read_file(folder_ / name);
  }
  /// Changes parts.json and makes its checksum fit.
  template <typename Change>
  std::string read_changed(const Change& change) const {
    auto json = nlohmann::json::parse(text("parts.json"));
    change(json);
    json.erase("content_sha256");
    core::Sha256 hash;
    hash.update(json.dump());
    json["content_sha256"] = hash.hex();
    write_text(folder_ / "parts.json", json.dump());
    return read();
  }

  TempDir dir_;
  const std::filesystem::path folder_ = dir_ / "g.parts";
};

TEST_F(DamagedParts, EveryMissingFileIsNamed) {
  const PartsManifest manifest = read_manifest(folder_);
  EXPECT_EQ(read(), "");
  for (const auto& item : manifest.files) {
    const std::string content = text(item.first);
    std::filesystem::remove(folder_ / item.first);
    EXPECT_TRUE(contains(read(), item.first));
    EXPECT_TRUE(contains(read(), "is missing"));
    write_text(folder_ / item.first, content);
  }
  EXPECT_EQ(read(), "");
}

TEST_F(DamagedParts, EveryCutAndEveryChangedFileIsNamed) {
  const PartsManifest manifest = read_manifest(folder_);
  for (const auto& item : manifest.files) {
    const std::string content = text(item.first);
    write_text(folder_ / item.first, content.substr(0, content.size() - 1));
    EXPECT_TRUE(contains(read(), item.first));
    EXPECT_TRUE(contains(read(), "it was cut or changed"));
    std::string changed = content;
    changed.back() = static_cast<char>(changed.back() ^ 1);
    write_text(folder_ / item.first, changed);
    EXPECT_TRUE(contains(read(), item.first));
    EXPECT_TRUE(contains(read(), "checksum"));
    write_text(folder_ / item.first, content);
  }
}

TEST_F(DamagedParts, AManifestThatIsGoneCutOrChangedIsRefused) {
  const std::string content = text("parts.json");
  write_text(folder_ / "parts.json", content.substr(0, content.size() / 2));
  EXPECT_TRUE(contains(read(), "parts.json: is no JSON"));
  std::string changed = content;
  changed.replace(changed.find("\"num_nodes\": 240"), 16, "\"num_nodes\": 241");
  write_text(folder_ / "parts.json", changed);
  EXPECT_TRUE(contains(read(), "was changed since it was written"));
  std::filesystem::remove(folder_ / "parts.json");
  EXPECT_TRUE(contains(read(), "has no parts.json"));
  EXPECT_TRUE(is_parts_folder(folder_));
  EXPECT_FALSE(is_parts_folder(dir_.path()));
}

TEST_F(DamagedParts, AnotherVersionIsRefusedByItsNumber) {
  EXPECT_TRUE(contains(read_changed([](auto& json) { json["version"] = 9; }),
                       "is of version 9 of this layout, and this program "
                       "reads version 1"));
}

TEST_F(DamagedParts, WhatCannotBeIsRefusedThoughItsChecksumFits) {
  EXPECT_TRUE(contains(read_changed([](auto& json) {
                         json["bounds"] = {0, 100, 100, 240};
                       }),
                       "part 1 has no node"));
  EXPECT_TRUE(
      contains(read_changed([](auto& json) {
                 json["bounds"] = {0, 100, 120, 300};
               }),
               "'bounds' must be 4 numbers from 0 to the number of nodes"));
  EXPECT_TRUE(contains(read_changed([](auto& json) {
                         json["bounds"] = {0, 100, 120, 240};
                       }),
                       "does not fit parts.json"));
  EXPECT_TRUE(
      contains(read_changed([](auto& json) { json["num_classes"] = "many"; }),
               "num_classes"));
  EXPECT_TRUE(contains(read_changed([](auto& json) { json["format"] = "x"; }),
                       "not the manifest"));
}

// Memory is predicted by these counts, of which no array of a part is made.
TEST_F(DamagedParts, HalosOfMoreThanTheOthersHaveAreRefused) {
  const std::string content = text("parts.json");
  const auto refusal = [&](const char* name, int64_t count) {
    const std::string message = read_changed([&](auto& json) {
      json["parts"][1][name] = count;
      // So that nothing else is wrong.
      json["parts"][1]["in_edges"] = json["parts"][1]["out_edges"] = 1000;
      if (std::string(name) != "cut_edges") {
        json["parts"][1]["cut_edges"] = 1000;
      }
    });
    write_text(folder_ / "parts.json", content);
    return message;
  };
  const PartsManifest manifest = read_manifest(folder_);
  const int64_t others = manifest.num_nodes - manifest.rows_of(1);
  for (const char* name : {"in_halo", "out_halo"}) {
    EXPECT_FALSE(contains(refusal(name, others), "of other parts")) << name;
    EXPECT_TRUE(
        contains(refusal(name, others + 1),
                 fmt::format("part 1 has '{}' {}, which is more than the {} "
                             "nodes of other parts",
                             name, others + 1, others)))
        << name;
  }
  EXPECT_TRUE(
      contains(refusal("cut_edges", 1001), "1000 messages it receives"));
  EXPECT_TRUE(contains(refusal("cut_edges", 1), "1 messages it receives from"));
}

// Entries of parts.json are paths that are opened. The checksums that are
// stated fit, so that only its name speaks against a file.
TEST_F(DamagedParts, NamesThatAreNoFilesOfItsPartsAreRefusedUnread) {
  const std::string content = text("parts.json");
  const std::string outside = (dir_ / "secret.txt").string();
  write_text(outside, "secret");
  core::Sha256 hash;
  hash.update(std::string("secret"));
  const nlohmann::json mark = {{"bytes", 6}, {"sha256", hash.hex()}};
  for (const std::string& name :
       {outside, std::string("../secret.txt"), std::string("parts.json"),
        std::string("part-0000/../../secret.txt"), std::string(""),
        std::string("./part-0000/labels.npy"),
        std::string("part-0003/labels.npy"), std::string("part-0/labels.npy"),
        std::string("part-0000/features.col.npy"),
        std::string("part-0000/secret.txt")}) {
    const std::string message =
        read_changed([&](auto& json) { json["files"][name] = mark; });
    EXPECT_TRUE(contains(message, (folder_ / "parts.json").string()));
    EXPECT_TRUE(contains(message, "'files' names '" + name +
                                      "', which is no file of its parts"));
    EXPECT_EQ(error_of([&] { read_manifest(folder_); }), message);
    write_text(folder_ / "parts.json", content);
  }
  EXPECT_EQ(read(), "");
}

TEST_F(DamagedParts, AFileThatTheManifestLeavesOutIsNamed) {
  const std::string content = text("parts.json");
  for (const char* name : {"in.col.npy", "features.npy", "original.npy"}) {
    const std::string file = part_file(1, name);
    const std::string message =
        read_changed([&](auto& json) { json["files"].erase(file); });
    EXPECT_TRUE(contains(message, "says nothing of " + file));
    EXPECT_EQ(error_of([&] { read_manifest(folder_); }), message);
    write_text(folder_ / "parts.json", content);
  }
}

// Whatever stands there, the answer is an Error or a folder that can be read.
TEST_F(DamagedParts, NoValueOfTheManifestDoesMoreThanBeRefused) {
  const std::string content = text("parts.json");
  const nlohmann::json odd[] = {nullptr,
                                -1,
                                0,
                                1e300,
                                "x",
                                true,
                                2.5,
                                nlohmann::json::array(),
                                nlohmann::json::object(),
                                int64_t{1} << 60};
  int refused = 0, tried = 0;
  const auto keys = nlohmann::json::parse(content);
  for (const auto& item : keys.items()) {
    if (item.key() == "content_sha256") continue;
    for (const auto& value : odd) {
      ++tried;
      refused +=
          !read_changed([&](auto& json) { json[item.key()] = value; }).empty();
      write_text(folder_ / "parts.json", content);
    }
  }
  EXPECT_GT(refused, tried / 2);
  EXPECT_EQ(read(), "");
}

TEST_F(DamagedParts, ContentThatCannotBeIsRefusedThoughItsChecksumFits) {
  PartsManifest manifest = read_manifest(folder_);
  const auto error = [&](const std::string& name, const at::Tensor& values) {
    PartsManifest changed = manifest;
    const std::string file = part_file(0, name);
    const std::string content = text(file);
    changed.files[file] = write_array(folder_ / file, values);
    const std::string message =
        error_of([&] { read_part(folder_, changed, 0); });
    write_text(folder_ / file, content);
    return message;
  };
  const Part part = read_part(folder_, manifest, 0);
  EXPECT_TRUE(contains(error("labels.npy", part.labels + 9), "no class"));
  EXPECT_TRUE(contains(error("splits.npy", part.splits + 9), "mark"));
  EXPECT_TRUE(
      contains(error("original.npy", part.original.flip(0)), "rising list"));
  EXPECT_TRUE(contains(error("in.col.npy", part.in.col + 1000), "not there"));
  EXPECT_TRUE(contains(error("out.rowptr.npy", part.out.rowptr.flip(0)),
                       "no list of rows"));
}

}  // namespace
}  // namespace ordered_gnn::scale
