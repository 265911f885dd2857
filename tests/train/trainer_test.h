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
