#pragma once
#include <map>

#include "data/data_support.h"
#include "data/formats/ogb/ogb.h"

namespace ordered_gnn::data {

/// File name and content; an empty content leaves the file out.
using OgbParts = std::map<std::string, std::string>;

/// A complete folder of four nodes and three edges.
inline OgbParts small_ogb() {
  return {{"raw/num-node-list.csv", "4\n"},
          {"raw/num-edge-list.csv", "3\n"},
          {"raw/edge.csv", "0,1\n3,2\n1,1\n"},
          {"raw/node-feat.csv", "0.5,-1\n1e-3,2\n0,0\n-0.057943,4\n"},
          {"raw/node-label.csv", "2\n0.0\nnan\n1\n"},
          {"raw/node_year.csv", "2015\n2013\n2020\n2015\n"},
          {"split/time/train.csv", "1\n0\n"},
          {"split/time/valid.csv", "3\n"},
          {"split/time/test.csv", "2\n"}};
}

/// Plain, or every file as `.gz`.
inline void write_ogb_parts(const std::filesystem::path& folder,
                            const OgbParts& files, bool gzipped) {
  for (const auto& [name, text] : files) {
    if (text.empty()) continue;
    std::filesystem::create_directories((folder / name).parent_path());
    if (gzipped) {
      write_gzip(folder / (name + ".gz"), text);
    } else {
      write_text(folder / name, text);
    }
  }
}

/// Message for the small folder with one file replaced; names that file.
inline std::string ogb_error(const std::string& name, const std::string& text,
                             const LoadOptions& options = {}) {
  const TempDir folder;
  OgbParts files = small_ogb();
  files[name] = text;
  write_ogb_parts(folder.path(), files, false);
  const std::string message =
      error_of([&] { load_ogb(folder.path(), options); });
  EXPECT_TRUE(contains(message, (folder.path() / name).string())) << message;
  return message;
}

/// Labels are the years, cut into this many classes.
inline LoadOptions with_years(int64_t classes) {
  LoadOptions options;
  options.year_classes = classes;
  return options;
}

}  // namespace ordered_gnn::data
