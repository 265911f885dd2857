#include "train/run_folder.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "core/io/file.h"
#include "core/io/safetensors/safetensors.h"
#include "ordered_gnn/data/registry.h"
#include "support/checksum_edits.h"
#include "support/datasets.h"
#include "support/deep_json.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::training {
namespace {

constexpr int64_t kEpochs = 12;

// The folder of a run that was stopped in epoch 6, with a state of epoch 5.
class RunFolderTest : public testing::Test {
 protected:
  RunFolderTest() {
    options_ = tiny_run();
    options_.train.save_seconds = 0;
    options_.train.epochs = kEpochs;
    options_.train.patience = kEpochs;
    data_ = load_dataset(options_.data);
    TrainHooks hooks;
    hooks.folder = dir_.path();
    hooks.on_epoch = [](const EpochReport& report) {
      if (report.epoch == 6) throw 1;
    };
    EXPECT_THROW(train_split(data_, 0, options_, hooks), int);
  }

  template <typename Change>
  void rewrite(Change change) {
    core::TensorFile content = core::read_safetensors(state_);
    change(content);
    core::write_safetensors(state_, content);
  }

  void set_progress(const char* key, const Json& value) {
    rewrite([&](core::TensorFile& content) {
      Json progress = Json::parse(good_.metadata.at("progress"));
      progress[key] = value;
      content = good_;
      content.metadata["progress"] = progress.dump();
    });
  }

  RunResult resume() {
    TrainHooks hooks;
    hooks.folder = dir_.path();
    hooks.resume = true;
    hooks.on_note = [&](const std::string& note) { notes_.push_back(note); };
    return train_split(data_, 0, options_, hooks);
  }

  std::string resume_error() {
    return error_of([&] { resume(); });
  }

  TempDir dir_;
  const std::filesystem::path state_ = dir_ / "state.safetensors";
  const std::filesystem::path metrics_ = dir_ / "metrics.jsonl";
  RunOptions options_;
  NodeDataset data_;
  core::TensorFile good_;
  std::vector<std::string> notes_;

  void SetUp() override { good_ = core::read_safetensors(state_); }
};

TEST_F(RunFolderTest, AStateThatNoRunHasIsRefusedByName) {
  const auto refused = [&](const char* key, const Json& value) {
    set_progress(key, value);
    return resume_error();
  };
  const std::string place = "state.safetensors: metadata 'progress': ";
  EXPECT_TRUE(contains(refused("epoch", kEpochs + 1),
                       place + "'epoch' must be a whole number from 0 to 12"));
  EXPECT_TRUE(
      contains(refused("best_epoch", 6),
               place + "'best_epoch' must be a whole number from 0 to 5"));
  EXPECT_TRUE(contains(refused("seconds", -1),
                       place + "'seconds' must be a number of at least 0"));
  for (const char* key : {"epoch", "best_epoch"}) {
    for (const Json& value :
         {Json(-1), Json(1e300), Json(uint64_t{1} << 63), Json(), Json(2.5)}) {
      EXPECT_TRUE(contains(refused(key, value), "must be a whole number"));
    }
  }
  EXPECT_TRUE(contains(refused("best_val", 3), place));
}

TEST_F(RunFolderTest, DeepAndBrokenMetadataOfAStateIsRefusedByName) {
  for (const char* key : {"progress", "class_names"}) {
    for (const std::string& text : {deep_json(), std::string("{")}) {
      rewrite([&](core::TensorFile& content) {
        content = good_;
        content.metadata[key] = text;
      });
      EXPECT_TRUE(
          contains(resume_error(),
                   fmt::format("state.safetensors: metadata '{}': is n", key)));
    }
  }
  rewrite(
      [&](core::TensorFile& content) { content.metadata.erase("progress"); });
  EXPECT_TRUE(contains(resume_error(), "is no training state"));
}

TEST_F(RunFolderTest, WeightsOfAStateThatAreNoNumbersAreRefused) {
  for (const char* name : {"model.output.bias", "best.output.bias"}) {
    rewrite([&](core::TensorFile& content) {
      content = good_;
      content.tensors[name] = torch::full_like(good_.tensors.at(name), NAN);
    });
    EXPECT_TRUE(contains(resume_error(),
                         "tensor 'output.bias' holds a NaN or an infinity"));
  }
}

TEST_F(RunFolderTest, AFlippedBitOfAStateIsSeen) {
  std::string bytes = core::read_file(state_);
  bytes[bytes.size() - 5] ^= 1;
  write_text(state_, bytes);
  EXPECT_TRUE(contains(resume_error(), "state.safetensors: is damaged"));
}

TEST_F(RunFolderTest, AStateWithoutChecksumGoesOnWithANote) {
  remove_checksum(state_);
  EXPECT_EQ(resume().epochs, kEpochs);
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_TRUE(contains(notes_[0], "state.safetensors has no checksum"));
}

TEST_F(RunFolderTest, AFinishedRunWithoutChecksumIsTakenWithANote) {
  resume();
  EXPECT_TRUE(notes_.empty());
  remove_checksum(dir_ / "model.safetensors");
  resume();
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_TRUE(contains(notes_[0], "model.safetensors has no checksum"));
}

TEST_F(RunFolderTest, DamagedLinesOfMetricsCostThemselvesAlone) {
  const std::string whole = core::read_file(metrics_);
  const size_t second = whole.find('\n') + 1;
  for (const std::string& damaged :
       {std::string("{\"epoch\":2"), std::string("[2]"), deep_json(),
        std::string("{\"epoch\":1e300}"), std::string("{\"epoch\":-1}"),
        std::string("{}"), std::string()}) {
    notes_.clear();
    write_text(metrics_, whole.substr(0, second) + damaged + "\n" +
                             whole.substr(second) + "{\"torn");
    RunFolder folder(dir_.path(), Json());
    EXPECT_EQ(folder.open_metrics(5), 1) << damaged.substr(0, 20);
    const std::string kept = core::read_file(metrics_);
    EXPECT_EQ(kept, whole.substr(0, kept.size()));
    EXPECT_EQ(std::count(kept.begin(), kept.end(), '\n'), 5);
  }
  write_text(metrics_, "{\n" + whole);
  resume();
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_TRUE(
      contains(notes_[0], "metrics.jsonl: 1 damaged line was left out"));
}

TEST_F(RunFolderTest, AResultThatNoRunHasIsRefusedByName) {
  resume();
  const std::filesystem::path file = dir_ / "result.json";
  const Json good = Json::parse(core::read_file(file));
  const auto refused = [&](const std::string& text) {
    write_text(file, text);
    const std::string message = resume_error();
    EXPECT_TRUE(contains(message, "result.json: "));
    EXPECT_TRUE(contains(message, "delete the file to repeat the run"));
    return message;
  };
  EXPECT_TRUE(contains(refused("{\"split"), "is no JSON"));
  EXPECT_TRUE(contains(refused(deep_json()), "is nested deeper"));
  EXPECT_TRUE(contains(refused("{}"), "has no 'split'"));
  for (const char* key : {"split", "seed", "epochs", "best_epoch", "peak_bytes",
                          "num_parameters"}) {
    for (const Json& value : {Json(-1), Json(1e300), Json(uint64_t{1} << 63)}) {
      Json json = good;
      json[key] = value;
      EXPECT_TRUE(contains(refused(json.dump()),
                           fmt::format("'{}' must be a whole number", key)));
    }
  }
}

}  // namespace
}  // namespace ordered_gnn::training
