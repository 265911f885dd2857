#include "data/fetch/unpack.h"

#include <gtest/gtest.h>

#include "core/io/sha256.h"
#include "core/io/zip/zip.h"
#include "data/data_support.h"
#include "data/fetch/fetch.h"
#include "support/loopback_server.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

using Entries = std::vector<std::pair<std::string, std::string>>;

const Entries kGood = {{"arxiv/raw/edge.csv.gz", "edges"},
                       {"arxiv/raw/", ""},
                       {"arxiv/empty", ""},
                       {"other/file", "not ours"}};

void write_zip(const fs::path& path, const Entries& entries) {
  fs::create_directories(path.parent_path());
  core::ZipWriter zip(path);
  for (const auto& [name, content] : entries) {
    zip.add(name, core::ZipMethod::deflated, {content});
  }
  zip.finish();
}

std::string sha256_of(const std::string& text) {
  core::Sha256 hash;
  hash.update(text);
  return hash.hex();
}

PublicFile archive() {
  PublicFile file;
  file.file.path = "ogbn-arxiv/arxiv.zip";
  file.unpack_from = "arxiv/";
  file.unpack_to = "ogbn-arxiv/";
  file.contents = {{"ogbn-arxiv/raw/edge.csv.gz", 5, sha256_of("edges")}};
  return file;
}

Unpacking unpacking(const TempDir& dir) {
  const PublicFile file = archive();
  Unpacking what;
  what.archive = dir / "a.zip";
  what.from = file.unpack_from;
  what.root = dir / "root";
  what.to = file.unpack_to;
  what.contents = file.contents;
  return what;
}

TEST(UnpackZip, PutsTheFolderIntoPlaceAndIgnoresOthers) {
  const TempDir dir;
  write_zip(dir / "a.zip", kGood);
  unpack_zip(unpacking(dir));
  EXPECT_EQ(core::read_file(dir / "root/ogbn-arxiv/raw/edge.csv.gz"), "edges");
  EXPECT_EQ(core::read_file(dir / "root/ogbn-arxiv/empty"), "");
  EXPECT_FALSE(fs::exists(dir / "root/other"));
  EXPECT_FALSE(fs::exists(dir / "root/ogbn-arxiv/file"));
}

TEST(UnpackZip, RefusesNamesThatLeadOutBeforeWritingAnything) {
  for (const char* name : {"arxiv/../../evil", "../evil", "/tmp/evil",
                           "arxiv/..\\evil", "arxiv/a\nb"}) {
    const TempDir dir;
    Entries entries = kGood;
    entries.emplace_back(name, "evil");
    write_zip(dir / "a.zip", entries);
    EXPECT_TRUE(
        contains(error_of([&] { unpack_zip(unpacking(dir)); }), "leads out"))
        << name;
    EXPECT_FALSE(fs::exists(dir / "root")) << name;
    EXPECT_FALSE(fs::exists(dir / "evil")) << name;
  }
}

TEST(UnpackZip, RefusesTooMuchData) {
  const TempDir dir;
  write_zip(dir / "a.zip", kGood);
  Unpacking what = unpacking(dir);
  what.max_bytes = 4;
  EXPECT_TRUE(
      contains(error_of([&] { unpack_zip(what); }), "more than 4 bytes"));
  EXPECT_FALSE(fs::exists(dir / "root"));
}

TEST(UnpackZip, WrongOrMissingContentIsAnError) {
  const TempDir dir;
  write_zip(dir / "a.zip", {{"arxiv/raw/edge.csv.gz", "other"}});
  const std::string error = error_of([&] { unpack_zip(unpacking(dir)); });
  EXPECT_TRUE(contains(error, sha256_of("edges")));
  EXPECT_TRUE(contains(error, sha256_of("other")));
  EXPECT_FALSE(fs::exists(dir / "root/ogbn-arxiv/raw/edge.csv.gz"));
  write_zip(dir / "a.zip", {{"arxiv/raw/label.csv.gz", "edges"}});
  EXPECT_TRUE(contains(error_of([&] { unpack_zip(unpacking(dir)); }),
                       "has no entry 'arxiv/raw/edge.csv.gz'"));
}

class FetchArchive : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_fetch()) GTEST_SKIP() << "this build has no HTTP client";
  }

  FetchedFile fetch(const Entries& entries) {
    write_zip(dir_ / "served.zip", entries);
    LoopbackServer server([&](const LoopbackRequest& request) {
      ++requests_;
      return range_answer(core::read_file(dir_ / "served.zip"), request.offset);
    });
    FetchOptions options;
    options.base_url = server.url();
    return fetch_file(archive(), dir_ / "root", options);
  }

  TempDir dir_;
  int requests_ = 0;
};

TEST_F(FetchArchive, UnpacksOnceAndDeletesTheArchive) {
  const FetchedFile got = fetch(kGood);
  EXPECT_EQ(got.state, FetchState::unpacked);
  EXPECT_EQ(got.sha256, core::sha256_of_file(dir_ / "served.zip"));
  EXPECT_FALSE(got.compared);
  EXPECT_EQ(core::read_file(dir_ / "root/ogbn-arxiv/raw/edge.csv.gz"), "edges");
  EXPECT_FALSE(fs::exists(dir_ / "root/ogbn-arxiv/arxiv.zip"));
  EXPECT_EQ(fetch(kGood).state, FetchState::already_there);
  EXPECT_EQ(requests_, 1);
}

TEST_F(FetchArchive, AnArchiveThatIsThereIsUnpackedWithoutANetwork) {
  write_zip(dir_ / "root/ogbn-arxiv/arxiv.zip", kGood);
  EXPECT_EQ(fetch(kGood).state, FetchState::unpacked);
  EXPECT_EQ(requests_, 0);
}

TEST_F(FetchArchive, ABadArchiveIsNamed) {
  Entries entries = kGood;
  entries.emplace_back("arxiv/../../evil", "evil");
  const std::string error = error_of([&] { fetch(entries); });
  EXPECT_TRUE(contains(error, "leads out"));
  EXPECT_TRUE(contains(error, "Delete"));
  EXPECT_FALSE(fs::exists(dir_ / "evil"));
}

}  // namespace
}  // namespace ordered_gnn::data
