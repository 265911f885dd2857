#include "train/data_path.h"

#include <gtest/gtest.h>

#include "core/io/safetensors/safetensors.h"
#include "data/formats/npz/dataset.h"
#include "ordered_gnn/train/train.h"
#include "support/current_folder.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::training {
namespace {

namespace fs = std::filesystem;

// A project with data/g.npz and a model in runs/r that was trained on it from
// the project's folder.
class MovedData : public testing::Test {
 protected:
  MovedData() {
    write_data(project_ / "data" / "g.npz", 1);
    options_.data.data = "data/g.npz";
    options_.train.epochs = 1;
    const CurrentFolder folder(project_);
    TrainHooks hooks;
    hooks.folder = "runs/r";
    const NodeDataset data = load_dataset(options_.data);
    fingerprint_ = data.provenance.fingerprint;
    train(data, 0, options_, hooks);
    fs::create_directories(other_);
  }

  static void write_data(const fs::path& file, int seed) {
    DataOptions options;
    options.data = fmt::format(
        "synthetic:csbm?nodes=40&classes=3&features=4&splits=1&seed={}", seed);
    fs::create_directories(file.parent_path());
    data::write_npz_dataset(file, resolve_dataset(options));
  }

  FoundData found_from(const fs::path& folder, const fs::path& project) {
    const CurrentFolder scope(folder);
    return load_training_data(
        load_trained(project / "runs" / "r" / "model.safetensors"));
  }
  void expect_found(const fs::path& folder, const fs::path& project) {
    const FoundData found = found_from(folder, project);
    EXPECT_EQ(found.data.provenance.fingerprint, fingerprint_);
    EXPECT_TRUE(found.notes.empty());
  }

  TempDir dir_;
  fs::path root_ = fs::canonical(dir_.path());
  fs::path project_ = root_ / "project";
  fs::path other_ = root_ / "other";
  RunOptions options_ = tiny_run();
  std::string fingerprint_;
};

TEST_F(MovedData, IsFoundFromAnyFolder) {
  expect_found(project_, project_);
  expect_found(other_, project_);
  const Trained trained =
      load_trained(project_ / "runs" / "r" / "model.safetensors");
  EXPECT_EQ(trained.options.data.data, "data/g.npz");
  EXPECT_EQ(trained.data_path, (project_ / "data" / "g.npz").string());
  EXPECT_EQ(trained.data_nearby, trained.data_path);
}

TEST_F(MovedData, IsFoundWhenModelAndDataMoveTogether) {
  const fs::path moved = root_ / "elsewhere" / "project";
  fs::create_directories(moved.parent_path());
  fs::rename(project_, moved);
  expect_found(other_, moved);
  expect_found(moved, moved);
}

TEST_F(MovedData, SoIsItsSplitFile) {
  const fs::path splits = project_ / "data" / "splits.npz";
  write_data(splits, 5);
  RunOptions options = options_;
  {
    const CurrentFolder folder(project_);
    options.data.split_file = "data/splits.npz";
    const NodeDataset data = load_training_dataset(options.data);
    EXPECT_EQ(options.data.split_file, splits.string());
    EXPECT_NE(data.provenance.fingerprint, fingerprint_);
    fingerprint_ = data.provenance.fingerprint;
    train(data, 0, options).save("runs/r/model.safetensors");
  }
  expect_found(other_, project_);
  const fs::path moved = root_ / "elsewhere";
  fs::rename(project_, moved);
  expect_found(other_, moved);
  fs::remove(moved / "data" / "splits.npz");
  EXPECT_TRUE(contains(error_of([&] { found_from(moved, moved); }),
                       "there is no such split file"));
}

TEST_F(MovedData, IsFoundInItsPlaceWhenTheModelAloneMoves) {
  const fs::path moved = root_ / "elsewhere" / "deeper" / "runs" / "r";
  fs::create_directories(moved);
  fs::rename(project_ / "runs" / "r" / "model.safetensors",
             moved / "model.safetensors");
  expect_found(other_, root_ / "elsewhere" / "deeper");
}

TEST_F(MovedData, AnotherFileOfTheSameNameIsNotTaken) {
  write_data(other_ / "data" / "g.npz", 2);
  expect_found(other_, project_);
  fs::remove(project_ / "data" / "g.npz");
  const std::string message = error_of([&] { found_from(other_, project_); });
  EXPECT_TRUE(contains(message, "'data/g.npz', was not found"));
  EXPECT_TRUE(
      contains(message, (other_ / "data" / "g.npz").string() + ": other data"));
  EXPECT_TRUE(contains(
      message, (project_ / "data" / "g.npz").string() + ": nothing is there"));
  EXPECT_TRUE(contains(message, "--data"));
}

TEST_F(MovedData, AFileThatChangedInItsPlaceIsUsedWithANote) {
  write_data(project_ / "data" / "g.npz", 2);
  for (const fs::path& folder : {project_, other_}) {
    const FoundData found = found_from(folder, project_);
    EXPECT_NE(found.data.provenance.fingerprint, fingerprint_);
    ASSERT_EQ(found.notes.size(), 1u);
    EXPECT_TRUE(contains(found.notes[0], "'data/g.npz' is not what it was"));
  }
}

TEST_F(MovedData, OtherSplitsDoNotHideThatItIsTheSame) {
  write_data(other_ / "data" / "g.npz", 2);
  const CurrentFolder scope(other_);
  const Trained trained =
      load_trained(project_ / "runs" / "r" / "model.safetensors");
  DataOptions how = data_for(trained);
  how.split_set = "random:50/25/25x4";
  const FoundData found = load_training_data(trained, how);
  EXPECT_EQ(found.data.splits.size(), 4u);
  EXPECT_EQ(found.data.provenance.files.at(0),
            (project_ / "data" / "g.npz").string());
}

TEST_F(MovedData, ACheckpointOfAnEarlierVersionLooksWhereItDid) {
  const fs::path file = project_ / "runs" / "r" / "model.safetensors";
  core::TensorFile content = core::read_safetensors(file);
  EXPECT_EQ(content.metadata.erase("data_path"), 1u);
  core::write_safetensors(file, content);
  expect_found(project_, project_);
  EXPECT_TRUE(
      contains(error_of([&] { found_from(other_, project_); }),
               (other_ / "data" / "g.npz").string() + ": nothing is there"));
  content.metadata["data_path"] = "{";
  core::write_safetensors(file, content);
  EXPECT_TRUE(contains(error_of([&] { found_from(project_, project_); }),
                       "metadata 'data_path': "));
}

TEST(DataPath, GeneratedAndNamedDataHaveNone) {
  const TempDir dir;
  const CurrentFolder scope(dir.path());
  DataOptions options;
  EXPECT_EQ(absolute_data_path(options), "");
  options.data = "synthetic:csbm";
  EXPECT_EQ(absolute_data_path(options), "");
  options.data = "cora";
  EXPECT_EQ(absolute_data_path(options), "");
  options.data = "not/there.npz";
  EXPECT_EQ(absolute_data_path(options), "");
  const fs::path root = fs::canonical(dir.path());
  fs::create_directories(root / "mine");
  options.data = "cora";
  options.data_root = "mine";
  EXPECT_EQ(absolute_data_path(options), (root / "mine").string());
}

}  // namespace
}  // namespace ordered_gnn::training
