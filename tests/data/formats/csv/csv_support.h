#pragma once
#include <map>

#include "data/data_support.h"
#include "data/formats/csv/dataset.h"

namespace ordered_gnn::data {

/// File name and content; an empty content leaves the file out.
using CsvFiles = std::map<std::string, std::string>;

inline void write_csv_files(const std::filesystem::path& folder,
                            const CsvFiles& files, bool gzipped = false) {
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] : files) {
    if (text.empty()) continue;
    if (gzipped && name != "dataset.json") {
      write_gzip(folder / (name + ".gz"), text);
    } else {
      write_text(folder / name, text);
    }
  }
}

/// Four nodes given out of order, four edges, two features, two splits.
inline CsvFiles small_csv() {
  return {
      {"edges.csv", "source,target\n0,1\n1,2\n3,0\n2,2\n"},
      {"labels.csv", "node,label\n2,1\n0,0\n3,\n1,\n"},
      {"features.csv", "node,height,width\n0,0.5,-1\n2,1e-3,4\n1,2,3\n3,7,8\n"},
      {"masks.csv",
       "node,split_0,split_1\n0,train,test\n1,val,\n2,test,train\n"}};
}

/// The small folder with some files replaced.
inline CsvFiles small_csv_with(const CsvFiles& changes) {
  CsvFiles files = small_csv();
  for (const auto& [name, text] : changes) files[name] = text;
  return files;
}

inline RawDataset load_csv(const CsvFiles& files) {
  const TempDir folder;
  write_csv_files(folder.path(), files);
  return load_csv_dataset(folder.path());
}

/// Message for the small folder with some files replaced; names the folder.
inline std::string csv_error(const CsvFiles& changes) {
  const TempDir folder;
  write_csv_files(folder.path(), small_csv_with(changes));
  const std::string message =
      error_of([&] { load_csv_dataset(folder.path()); });
  EXPECT_TRUE(contains(message, folder.path().string()));
  return message;
}

}  // namespace ordered_gnn::data
