#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/ognn_process.h"
#include "support/temp_dir.h"

namespace ordered_gnn {

/// A folder with g.npz, 90 labelled nodes without splits, and short trainings
/// on it.
class UnsplitData : public testing::Test {
 protected:
  void SetUp() override { generate_without_splits(data_); }

  Outcome train(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"train", "--data",   data_, "--layers",
                                      "2",     "--hidden", "16",  "--threads",
                                      "1",     "--epochs", "5"};
    words.insert(words.end(), more.begin(), more.end());
    return run_ognn(words);
  }

  std::string path(const char* name) const { return (dir_ / name).string(); }

  TempDir dir_;
  std::string data_ = (dir_ / "g.npz").string();
};

}  // namespace ordered_gnn
