#include "data/fetch/dataset_files.h"

#include <gtest/gtest.h>

#include "data/data_support.h"

namespace ordered_gnn::data {
namespace {

const NamedDataset& texas() { return *find_named_dataset("texas"); }

TEST(DatasetFiles, NothingThereNamesTheFirstFolder) {
  const TempDir dir;
  const DatasetFiles files = find_dataset_files(texas(), dir.path());
  EXPECT_EQ(files.name, "texas");
  EXPECT_FALSE(files.complete());
  EXPECT_EQ(files.missing, texas().files);
  EXPECT_EQ(files.folder, dir / texas().folders.front());
}

TEST(DatasetFiles, TheFolderWithTheMostFilesWins) {
  const TempDir dir;
  write_text(dir / "texas" / "raw" / kEdgeFile, kSmallEdges);
  DatasetFiles files = find_dataset_files(texas(), dir.path());
  EXPECT_EQ(files.folder, dir / "texas/raw");
  EXPECT_EQ(files.missing, std::vector<std::string>{kNodeFile});
  write_small_geom_gcn(dir / "new_data" / "texas");
  files = find_dataset_files(texas(), dir.path());
  EXPECT_TRUE(files.complete());
  EXPECT_EQ(files.folder, dir / "new_data/texas");
}

TEST(DatasetFiles, GzippedFilesCount) {
  const TempDir dir;
  write_text(dir / kEdgeFile, kSmallEdges);
  write_gzip(dir / (std::string(kNodeFile) + ".gz"), kSmallNodes);
  EXPECT_TRUE(missing_files(texas(), dir.path()).empty());
}

}  // namespace
}  // namespace ordered_gnn::data
