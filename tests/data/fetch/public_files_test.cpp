#include "data/fetch/public_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/affixes.h"
#include "core/io/gzip_input.h"
#include "core/io/sha256.h"
#include "data/data_support.h"
#include "data/fetch/checksums.h"
#include "data/fetch/url.h"
#include "data/paths.h"
#include "ordered_gnn/data/registry.h"

namespace ordered_gnn::data {
namespace {

KnownFile unpacked(const std::filesystem::path& file) {
  KnownFile content{"", 0, ""};
  core::Sha256 hash;
  core::GzipInput input(file);
  std::vector<char> block(1 << 16);
  while (const size_t count = input.read(block.data(), block.size())) {
    hash.update(block.data(), count);
    content.size += static_cast<int64_t>(count);
  }
  content.sha256 = hash.hex();
  return content;
}

// Paths of everything that fetching a dataset leaves behind.
std::set<std::string> paths_of(const std::string& dataset) {
  std::set<std::string> paths;
  for (const PublicFile& file : public_files(dataset)) {
    if (!file.is_archive()) paths.insert(file.file.path);
    for (const KnownFile& inner : file.contents) paths.insert(inner.path);
  }
  return paths;
}

TEST(PublicFiles, EveryRowIsWellFormed) {
  for (const std::string& name : public_dataset_names()) {
    for (const PublicFile& file : public_files(name)) {
      const KnownFile& known = file.file;
      EXPECT_TRUE(stays_below(known.path)) << known.path;
      EXPECT_TRUE(parse_url(file.url).has_value()) << file.url;
      EXPECT_EQ(known.sha256.empty(), known.size < 0) << known.path;
      EXPECT_EQ(file.is_archive(), !file.contents.empty()) << known.path;
      EXPECT_EQ(std::filesystem::path(file.url).filename(),
                std::filesystem::path(known.path).filename());
    }
  }
}

TEST(PublicFiles, TheTableOfChecksumsIsSortedAndUsed) {
  std::set<std::string> used;
  for (const std::string& name : public_dataset_names()) {
    const std::set<std::string> paths = paths_of(name);
    used.insert(paths.begin(), paths.end());
  }
  std::string before;
  for (const KnownFile& file : known_files()) {
    EXPECT_LT(before, file.path);
    before = file.path;
    EXPECT_EQ(file.sha256.size(), 64u) << file.path;
    EXPECT_GT(file.size, 0) << file.path;
    EXPECT_EQ(used.count(file.path), 1u) << file.path;
    EXPECT_EQ(find_known_file(file.path), &file);
  }
  EXPECT_EQ(find_known_file("nothing"), nullptr);
}

TEST(PublicFiles, OnlyTheFilesNobodyHadLackAChecksum) {
  std::set<std::string> unknown;
  for (const std::string& name : public_dataset_names()) {
    for (const PublicFile& file : public_files(name)) {
      if (file.file.sha256.empty()) unknown.insert(file.file.path);
    }
  }
  EXPECT_EQ(unknown, (std::set<std::string>{
                         "gnn-benchmark/amazon_electronics_computers.npz",
                         "gnn-benchmark/amazon_electronics_photo.npz",
                         "gnn-benchmark/ms_academic_cs.npz",
                         "gnn-benchmark/ms_academic_phy.npz",
                         "gnn-benchmark/splits/coauthor-cs_split.npz",
                         "gnn-benchmark/splits/coauthor-physics_split.npz",
                         "heterophilous-graphs/amazon_ratings.npz",
                         "heterophilous-graphs/questions.npz",
                         "heterophilous-graphs/roman_empire.npz",
                         "heterophilous-graphs/squirrel_filtered.npz",
                         "heterophilous-graphs/squirrel_filtered_directed.npz",
                         "heterophilous-graphs/tolokers.npz",
                         "ogbn-arxiv/arxiv.zip", "wiki-cs/data.json"}));
}

// A fetched dataset must be one that the registry finds.
TEST(PublicFiles, EveryNamedDatasetHasTheFilesItsLoaderNeeds) {
  for (const NamedDataset& named : named_datasets()) {
    const std::set<std::string> paths = paths_of(named.name);
    const bool found = std::any_of(
        named.folders.begin(), named.folders.end(),
        [&](const std::string& folder) {
          return std::all_of(named.files.begin(), named.files.end(),
                             [&](const std::string& file) {
                               const std::string path = folder + "/" + file;
                               return paths.count(path) == 1 ||
                                      paths.count(path + ".gz") == 1;
                             });
        });
    EXPECT_TRUE(found) << named.name;
  }
}

TEST(PublicFiles, SplitsComeWithTheGraphs) {
  EXPECT_EQ(paths_of("actor").count("geom-gcn/splits/film_split_0.6_0.2_9.npz"),
            1u);
  EXPECT_EQ(paths_of("cornell_fixed")
                .count("geom-gcn/splits/cornell_split_0.6_0.2_0.npz"),
            1u);
  EXPECT_EQ(paths_of("cora").size(), 18u);
  EXPECT_EQ(paths_of("arxiv-year").count("arxiv-year/arxiv-year-splits.npy"),
            1u);
  EXPECT_EQ(paths_of("arxiv-year").count("ogbn-arxiv/raw/edge.csv.gz"), 1u);
  EXPECT_EQ(paths_of("amazon-computers")
                .count("gnn-benchmark/splits/amazon-computer_split.npz"),
            1u);
}

TEST(PublicFiles, NamesMayBeSpelledWithUnderscores) {
  EXPECT_EQ(paths_of("chameleon_filtered"), paths_of("chameleon-filtered"));
}

TEST(PublicFiles, UnknownNameSuggestsTheNearest) {
  EXPECT_TRUE(contains(error_of([] { public_files("txas"); }),
                       "did you mean 'texas'?"));
}

TEST(PublicFiles, AgreeWithTheListOfTheRealFiles) {
  ORDERED_GNN_NEEDS_REAL_DATA();
  int compared = 0;
  for (const ChecksumLine& line : read_checksums(real_data() / "SHA256SUMS")) {
    const std::filesystem::path path = real_data() / line.path;
    const KnownFile* known = find_known_file(line.path);
    KnownFile real{line.path, 0, line.sha256};
    if (known != nullptr) {
      real.size = static_cast<int64_t>(std::filesystem::file_size(path));
    } else if (std::string_view text = line.path;
               core::take_suffix(text, ".gz")) {
      // Gzipped by us: the table knows the published text.
      known = find_known_file(std::string(text));
      if (known != nullptr) real = unpacked(path);
    }
    if (known == nullptr) continue;
    EXPECT_EQ(known->sha256, real.sha256) << line.path;
    EXPECT_EQ(known->size, real.size) << line.path;
    ++compared;
  }
  EXPECT_EQ(compared, static_cast<int>(known_files().size()));
}

TEST(Url, ParsesHttpAddressesOnly) {
  const std::optional<Url> url = parse_url("https://host:81/a/b?c=d#e");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->origin, "https://host:81");
  EXPECT_EQ(url->path, "/a/b?c=d");
  EXPECT_TRUE(url->secure());
  EXPECT_EQ(parse_url("http://host")->text(), "http://host/");
  EXPECT_EQ(parse_url("http://host?q")->path, "/?q");
  for (const char* bad :
       {"", "host/a", "ftp://host/a", "file:///etc", "http://", "http:///a",
        "http://user@host/", "http://host/a b", "http://host/a\r\nX: y"}) {
    EXPECT_FALSE(parse_url(bad)) << bad;
  }
}

TEST(Url, ResolvesRedirectLocations) {
  const Url base = *parse_url("https://host/a/b?c=d/e");
  EXPECT_EQ(resolve_url(base, "http://x/y")->text(), "http://x/y");
  EXPECT_EQ(resolve_url(base, "//x/y")->text(), "https://x/y");
  EXPECT_EQ(resolve_url(base, "/y")->text(), "https://host/y");
  EXPECT_EQ(resolve_url(base, "y")->text(), "https://host/a/y");
  EXPECT_FALSE(resolve_url(base, ""));
  EXPECT_FALSE(resolve_url(base, "ftp://x/y"));
}

}  // namespace
}  // namespace ordered_gnn::data
