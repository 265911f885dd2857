#pragma once
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/io/safetensors/safetensors.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/train.h"
#include "support/datasets.h"
#include "support/temp_dir.h"

namespace ordered_gnn::training {

// Small runs in folders of their own.
class TrainerTest : public testing::Test {
 protected:
  RunOptions options_ = tiny_run();
  NodeDataset data_ = load_dataset(options_.data);
  TempDir dir_;
  EpochReport last_;

  TrainHooks hooks(const std::string& name, bool resume = false) {
    TrainHooks out;
    out.folder = dir_ / name;
    out.resume = resume;
    return out;
  }

  // Trains split 0 in a folder until it is asked to stop behind an epoch.
  void train_until(const std::string& name, int64_t stop) {
    int64_t last = 0;
    TrainHooks stopping = hooks(name);
    stopping.on_epoch = [&](const EpochReport& report) { last = report.epoch; };
    stopping.should_stop = [&] { return last == stop; };
    EXPECT_THROW(train_split(data_, 0, options_, stopping), Interrupted);
    EXPECT_EQ(last, stop);
  }

  std::map<std::string, at::Tensor> saved(const std::string& name) {
    return core::read_safetensors(dir_ / name / "model.safetensors").tensors;
  }
};

inline void expect_same_bits(const std::map<std::string, at::Tensor>& a,
                             const std::map<std::string, at::Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) {
    EXPECT_TRUE(torch::equal(tensor, b.at(name))) << name;
  }
}

}  // namespace ordered_gnn::training
