#include "support/corruption.h"

#include <gtest/gtest.h>

#include "ordered_gnn/data/loaders.h"
#include "support/dataset_samples.h"
#include "support/temp_dir.h"

namespace ordered_gnn::data {
namespace {

class Corrupted : public ::testing::TestWithParam<DatasetSample> {
 protected:
  TempDir folder_;
  std::filesystem::path dataset_ = GetParam().write(folder_.path());
  Corruption corruption_{folder_.path(), dataset_, GetParam().format};
};

TEST_P(Corrupted, IsReadWhenIntact) {
  const RawDataset raw = load_path(dataset_);
  EXPECT_EQ(raw.provenance.format, GetParam().format);
  EXPECT_EQ(raw.num_nodes, GetParam().num_nodes);
}

TEST_P(Corrupted, TruncatedAtEveryByteIsRefusedOrValid) {
  const CorruptionCounts counts = corruption_.truncate_everywhere();
  EXPECT_EQ(counts.tried, corruption_.num_bytes());
  EXPECT_GT(counts.refused, 0);
  EXPECT_NO_THROW(load_path(dataset_)) << "the files were not put back";
}

TEST_P(Corrupted, WithRandomBytesChangedIsRefusedOrValid) {
  const CorruptionCounts counts = corruption_.flip_bytes(1000, /*seed=*/7);
  EXPECT_EQ(counts.tried, 1000);
  EXPECT_GT(counts.refused, 100);
  EXPECT_NO_THROW(load_path(dataset_)) << "the files were not put back";
}

TEST_P(Corrupted, WithoutOneFileIsRefusedOrValid) {
  const CorruptionCounts counts = corruption_.remove_each_file();
  EXPECT_EQ(counts.tried, corruption_.num_files());
  EXPECT_GT(counts.refused, 0);
}

INSTANTIATE_TEST_SUITE_P(
    EveryFormat, Corrupted, ::testing::ValuesIn(dataset_samples()),
    [](const ::testing::TestParamInfo<DatasetSample>& info) {
      return info.param.name;
    });

}  // namespace
}  // namespace ordered_gnn::data
