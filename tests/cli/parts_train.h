#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "support/temp_dir.h"

namespace ordered_gnn {

using Words = std::vector<std::string>;

// A small graph in four parts, and calls of `ognn train` on them.
class PartsTrain : public ::testing::Test {
 protected:
  void SetUp() override {
    const Outcome made = run_ognn({"partition", graph(), "--parts", "4",
                                   "--method", "stream", "--out", parts()});
    ASSERT_EQ(made.status, 0) << made.err;
  }

  static std::string graph() {
    return "synthetic:csbm?nodes=200&classes=3&features=8&seed=3";
  }

  std::string parts() const { return (dir_ / "g.parts").string(); }
  std::string folder(const std::string& name) const {
    return (dir_ / name).string();
  }

  Words call(const std::string& out, const Words& more, int epochs = 5) const {
    Words words = {"train",
                   "--data",
                   parts(),
                   "--layers",
                   "2",
                   "--hidden",
                   "16",
                   "--quiet",
                   "--epochs",
                   std::to_string(epochs),
                   "--patience",
                   "1000000",
                   "--threads",
                   "1",
                   "--save-seconds",
                   "0"};
    if (!out.empty()) words.insert(words.end(), {"--out", folder(out)});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  std::string model(const std::string& out) const {
    return core::read_file(dir_ / out / "split-0" / "model.safetensors");
  }

  TempDir dir_;
};

}  // namespace ordered_gnn
