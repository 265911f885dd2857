#include "ordered_gnn/train/trained.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <fstream>

#include "core/io/file.h"
#include "core/io/safetensors/safetensors.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/nn/models.h"
#include "support/checksum_edits.h"
#include "support/datasets.h"
#include "support/deep_json.h"
#include "support/errors.h"
#include "support/temp_dir.h"
#include "train/checkpoint.h"

namespace ordered_gnn::training {
namespace {

class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest() {
    about_.options = tiny_run();
    data_ = load_dataset(about_.options.data);
    about_.shape = {data_.features.num_features(), data_.num_classes,
                    data_.features.kind()};
    about_.class_names = {"red", "green", "blue"};
    about_.model =
        create_model("ordered_gnn", about_.shape, about_.options.network, 5);
    write_checkpoint(file_, named_state(*about_.model), about_);
  }

  // Rewrites the saved file after a change of its content.
  template <typename Change>
  void rewrite(Change change) {
    core::TensorFile content = core::read_safetensors(file_);
    change(content);
    core::write_safetensors(file_, content);
  }

  std::string load_error() {
    return error_of([&] { load_trained(file_); });
  }

  TempDir dir_;
  std::filesystem::path file_ = dir_ / "model.safetensors";
  Trained about_;
  NodeDataset data_;
};

TEST_F(CheckpointTest, BringsBackOptionsNamesAndEveryBit) {
  const Trained back = load_trained(file_);
  EXPECT_EQ(to_json(back.options), to_json(about_.options));
  EXPECT_EQ(back.class_names, about_.class_names);
  const auto before = named_state(*about_.model);
  const auto after = named_state(*back.model);
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [name, tensor] : before) {
    EXPECT_TRUE(torch::equal(tensor, after.at(name))) << name;
  }
}

TEST_F(CheckpointTest, KeepsAllOptionsInTheConfigMetadata) {
  const core::TensorFile content = core::read_safetensors(file_);
  const Json config = Json::parse(content.metadata.at("config"));
  for (const std::string& name : option_names(run_option_table())) {
    EXPECT_TRUE(config.contains(name)) << name;
  }
  EXPECT_EQ(content.tensors.at("layers.0.gate.weight").sizes(),
            at::IntArrayRef({4, 32}));
}

TEST_F(CheckpointTest, KeepsRunningStatisticsOfBatchNorms) {
  about_.options.network.norm = Norm::batch;
  about_.model =
      create_model("ordered_gnn", about_.shape, about_.options.network, 5);
  about_.model->forward(data_.graph, data_.features, {true, 1, 1});
  write_checkpoint(file_, named_state(*about_.model), about_);
  const Trained back = load_trained(file_);
  EXPECT_TRUE(torch::equal(
      named_state(*back.model).at("layers.0.norm.running_mean"),
      named_state(*about_.model).at("layers.0.norm.running_mean")));
}

TEST_F(CheckpointTest, AFileOfAnotherProgramIsRefused) {
  core::write_safetensors(file_, {{{"w", torch::ones({2})}}, {}});
  EXPECT_TRUE(contains(load_error(), "no checkpoint of this program"))
      << load_error();
}

TEST_F(CheckpointTest, ATruncatedFileIsRefusedByName) {
  const std::string bytes = core::read_file(file_);
  for (const size_t size : {size_t{0}, size_t{7}, size_t{100}, bytes.size() / 2,
                            bytes.size() - 1}) {
    std::ofstream(file_, std::ios::binary) << bytes.substr(0, size);
    EXPECT_TRUE(contains(load_error(), "model.safetensors")) << load_error();
  }
}

TEST_F(CheckpointTest, TensorsThatDoNotFitTheirDescriptionAreNamed) {
  rewrite([](core::TensorFile& content) {
    content.tensors["layers.1.norm.weight"] = torch::ones({3});
  });
  EXPECT_TRUE(contains(load_error(), "'layers.1.norm.weight' is [3]"))
      << load_error();
  rewrite([](core::TensorFile& content) {
    content.tensors.erase("layers.1.norm.weight");
  });
  EXPECT_TRUE(contains(load_error(), "'layers.1.norm.weight' is missing"));
  rewrite([](core::TensorFile& content) {
    content.tensors["layers.1.norm.weight"] = torch::ones({16});
    content.tensors["stranger"] = torch::ones({1});
  });
  EXPECT_TRUE(contains(load_error(), "'stranger' is not part"));
}

TEST_F(CheckpointTest, AClaimOfHugeSizeIsRefusedBeforeAnythingIsBuilt) {
  rewrite([](core::TensorFile& content) {
    Json config = Json::parse(content.metadata["config"]);
    config["layers"] = 10000;
    content.metadata["config"] = config.dump();
  });
  EXPECT_TRUE(contains(load_error(), "is missing")) << load_error();
  rewrite([](core::TensorFile& content) {
    Json shape = Json::parse(content.metadata["shape"]);
    shape["num_features"] = int64_t{1} << 50;
    content.metadata["shape"] = shape.dump();
  });
  EXPECT_TRUE(contains(load_error(),
                       "metadata 'shape': 'num_features' must be a whole "
                       "number from 0 to 274877906944"));
  rewrite([](core::TensorFile& content) {
    Json shape = Json::parse(content.metadata["shape"]);
    shape["num_features"] = int64_t{1} << 37;
    content.metadata["shape"] = shape.dump();
  });
  EXPECT_TRUE(contains(load_error(), "input.0.weight")) << load_error();
}

TEST_F(CheckpointTest, BrokenMetadataIsRefused) {
  const core::TensorFile good = core::read_safetensors(file_);
  for (const char* key : {"config", "shape", "class_names", "result",
                          "feature_names", "columns", "data_path"}) {
    const std::string place =
        fmt::format("model.safetensors: metadata '{}': ", key);
    const auto message = [&](const std::string& text) {
      core::TensorFile content = good;
      content.metadata[key] = text;
      core::write_safetensors(file_, content);
      return load_error();
    };
    EXPECT_TRUE(contains(message("{"), place + "is no JSON"));
    EXPECT_TRUE(contains(message(deep_json()), place + "is nested deeper"));
    EXPECT_TRUE(contains(message(R"({"train": 1})"), place));
  }
}

TEST_F(CheckpointTest, NumbersOfTheResultAreWholeAndNotNegative) {
  const auto with = [&](const char* key, const Json& value) {
    rewrite([&](core::TensorFile& content) {
      Json result = Json::parse(content.metadata["result"]);
      result["split"] = 0;
      result["epoch"] = 1;
      result[key] = value;
      content.metadata["result"] = result.dump();
    });
  };
  for (const char* key : {"split", "epoch"}) {
    for (const Json& value : {Json(-1), Json(1e300), Json(0.5), Json("0"),
                              Json(uint64_t{1} << 63)}) {
      with(key, value);
      EXPECT_TRUE(contains(load_error(), fmt::format("metadata 'result': '{}' "
                                                     "must be a whole number",
                                                     key)));
    }
  }
  // How many splits there are only the data knows.
  with("split", 2147483648);
  EXPECT_EQ(load_trained(file_).result.split, 2147483648);
}

TEST_F(CheckpointTest, AsManyNamesAsClasses) {
  rewrite([](core::TensorFile& content) {
    content.metadata["class_names"] = R"(["red"])";
  });
  EXPECT_TRUE(contains(load_error(), "there are 1 names for 3 classes"));
}

TEST_F(CheckpointTest, WeightsThatAreNoNumbersAreRefused) {
  for (const double value : {NAN, INFINITY, -INFINITY}) {
    rewrite([&](core::TensorFile& content) {
      content.tensors["output.bias"][1] = value;
    });
    EXPECT_TRUE(contains(load_error(),
                         "model.safetensors: tensor 'output.bias' holds a NaN "
                         "or an infinity"));
    EXPECT_TRUE(contains(error_of([&] { load_trained(file_, about_.model); }),
                         "tensor 'output.bias' holds a NaN or an infinity"));
  }
}

TEST_F(CheckpointTest, AFlippedBitIsSeen) {
  EXPECT_TRUE(load_trained(file_).is_verified);
  std::string bytes = core::read_file(file_);
  bytes[bytes.size() - 5] ^= 1;  // the lowest bit of a weight
  std::ofstream(file_, std::ios::binary) << bytes;
  EXPECT_TRUE(contains(load_error(), "model.safetensors: is damaged"));
}

TEST_F(CheckpointTest, AFileOfAnEarlierVersionHasNoChecksum) {
  remove_checksum(file_);
  const Trained back = load_trained(file_);
  EXPECT_FALSE(back.is_verified);
  EXPECT_EQ(back.class_names, about_.class_names);
}

TEST_F(CheckpointTest, OneThatLostItsChecksumIsRefused) {
  remove_checksum(file_, /*keeps_format=*/true);
  EXPECT_TRUE(contains(error_of([&] { load_trained(file_); }),
                       "is damaged: it has no checksum"));
}

TEST_F(CheckpointTest, DataWithOtherFeaturesIsRefused) {
  DataOptions other = about_.options.data;
  other.data = "synthetic:csbm?nodes=60&features=9&classes=3";
  const NodeDataset wide = load_dataset(other);
  const std::string message =
      error_of([&] { require_fit(load_trained(file_), wide, file_); });
  EXPECT_TRUE(contains(message, "trained on 8 features")) << message;
  other.data = "synthetic:csbm?nodes=60&features=8&classes=5";
  const NodeDataset classes = load_dataset(other);
  EXPECT_TRUE(contains(
      error_of([&] { require_fit(load_trained(file_), classes, file_); }),
      "trained on 3 classes"));
}

}  // namespace
}  // namespace ordered_gnn::training
