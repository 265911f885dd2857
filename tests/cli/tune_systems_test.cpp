// scripts/tune-systems: a search per system and dataset, winners as recipes.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/io/file.h"
#include "data/data_support.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

struct ScriptOutcome {
  int status = -1;
  std::string text;
};

class TuneSystems : public testing::Test {
 protected:
  TuneSystems() {
    recipe("link/tiny", {{"model", "link"}, {"lr", 0.5}});
    recipe("label_propagation/tiny",
           {{"model", "label_propagation"}, {"epochs", 1}});
  }

  void recipe(const std::string& name, Json values) {
    values["data"] =
        "synthetic:csbm?nodes=60&classes=3&features=8&degree=4&splits=3";
    write_text(dir_ / "recipes/systems" / (name + ".json"), values.dump());
  }

  Json recipe(const std::string& name) {
    return Json::parse(
        core::read_file(dir_ / "recipes/systems" / (name + ".json")));
  }

  ScriptOutcome tune(const std::string& arguments) {
    const std::string command = "OGNN='" OGNN_BINARY
                                "' BUDGET='--trials 2 --min-budget 2' "
                                "LIMITS='--epochs 3' '" ORDERED_GNN_RECIPES
                                "/../scripts/tune-systems' --out '" +
                                (dir_ / "out").string() + "' --recipes '" +
                                (dir_ / "recipes").string() + "' " + arguments +
                                " 2>&1";
    ScriptOutcome outcome;
    FILE* const pipe = ::popen(command.c_str(), "r");
    std::array<char, 256> part;
    while (::fgets(part.data(), part.size(), pipe) != nullptr) {
      outcome.text += part.data();
    }
    const int status = ::pclose(pipe);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
  }

  TempDir dir_;
};

TEST_F(TuneSystems, WritesWinnersOverTheirRecipesAndGoesOn) {
  const std::string both = "link/tiny label_propagation/tiny -- --threads 1";
  const ScriptOutcome first = tune(both);
  ASSERT_EQ(first.status, 0) << first.text;
  EXPECT_TRUE(contains(first.text, "link/tiny: best on"));
  const Json link = recipe("link/tiny");
  EXPECT_TRUE(contains(link.at("//source"), "by validation accuracy among 3"));
  EXPECT_EQ(link.at("epochs"), 3);
  EXPECT_FALSE(link.contains("splits"));
  EXPECT_EQ(recipe("label_propagation/tiny").at("epochs"), 1);
  // The winner has taken the place of what the search started from.
  const std::string log = core::read_file(dir_ / "out/link/tiny/runs.jsonl");
  const ScriptOutcome second = tune("--jobs 2 " + both);
  ASSERT_EQ(second.status, 0) << second.text;
  EXPECT_EQ(core::read_file(dir_ / "out/link/tiny/runs.jsonl"), log);
  EXPECT_EQ(recipe("link/tiny"), link);
}

TEST_F(TuneSystems, OneThatFailsDoesNotStopTheOthers) {
  recipe("sgc/tiny", {{"model", "sgc"}, {"split-set", "none-such"}});
  const std::string before =
      core::read_file(dir_ / "recipes/systems/sgc/tiny.json");
  const ScriptOutcome outcome = tune("sgc/tiny link/tiny -- --threads 1");
  EXPECT_NE(outcome.status, 0);
  EXPECT_TRUE(contains(outcome.text, "sgc/tiny: failed, see"));
  EXPECT_TRUE(contains(outcome.text, "link/tiny: best on"));
  EXPECT_EQ(core::read_file(dir_ / "recipes/systems/sgc/tiny.json"), before);
}

TEST_F(TuneSystems, MistakesAreSaidBeforeAnythingRuns) {
  for (const auto& [arguments, message] :
       std::vector<std::pair<std::string, std::string>>{
           {"link/tiny gcnn/tiny", "there is no recipe"},
           {"link", "there is no recipe"},
           {"--job 2", "unknown option --job"},
           {"--jobs", "--jobs needs a value"},
           {"--jobs 0 link/tiny", "--jobs takes"}}) {
    const ScriptOutcome outcome = tune(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_TRUE(contains(outcome.text, message)) << outcome.text;
  }
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
}

}  // namespace
}  // namespace ordered_gnn
