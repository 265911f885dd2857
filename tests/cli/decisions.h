#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/named_dataset.h"
#include "cli/ognn_process.h"
#include "data/formats/npz/dataset.h"
#include "support/temp_dir.h"

namespace ordered_gnn {

// A model of four classes with names, trained once, and what is asked of it.
class Decisions : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new TempDir;
    data::write_npz_dataset(*shared_ / "four.npz", four_classes());
    const Outcome trained =
        run_ognn({"train", "--data", (*shared_ / "four.npz").string(),
                  "--layers", "2", "--hidden", "16", "--epochs", "40",
                  "--quiet", "--out", (*shared_ / "run").string()});
    ASSERT_EQ(trained.status, 0) << trained.err;
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }

  std::string path(const std::string& name) { return (dir_ / name).string(); }
  static std::string model() {
    return (*shared_ / "run/split-0/model.safetensors").string();
  }
  Outcome call(const std::string& command,
               const std::vector<std::string>& more) {
    std::vector<std::string> words = {command, "--checkpoint", model()};
    words.insert(words.end(), more.begin(), more.end());
    return run_ognn(words);
  }
  nlohmann::json json_of(const std::string& command,
                         std::vector<std::string> more) {
    more.emplace_back("--json");
    const Outcome outcome = call(command, more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }
  std::vector<std::string> lines(const std::string& name) {
    std::ifstream in(path(name));
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }

  inline static TempDir* shared_ = nullptr;
  TempDir dir_;
};

}  // namespace ordered_gnn
