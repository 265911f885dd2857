// scripts/tune-systems: a search per system and dataset, winners as recipes;
// scripts/modern-search: these searches and the table of their winners.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/io/file.h"
#include "data/data_support.h"
#include "lab/runs/recipe.h"
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
    write_recipes("link", {{"model", "link"}, {"lr", 0.5}});
    write_recipes("label_propagation",
                  {{"model", "label_propagation"}, {"epochs", 1}});
  }

  // A file of two recipes, "tiny" and "other".
  void write_recipes(const std::string& system, Json values) {
    values["data"] =
        "synthetic:csbm?nodes=60&classes=3&features=8&degree=4&splits=3";
    values["for"] = {{"tiny", {{"seed", 7}}}, {"other", {{"seed", 8}}}};
    write_text(file(system), values.dump());
  }

  std::filesystem::path file(const std::string& system) const {
    return dir_ / "recipes/systems" / (system + ".json");
  }

  Json member(const std::string& system, const std::string& dataset) const {
    return Json::parse(core::read_file(file(system))).at("for").at(dataset);
  }

  Json options(const std::string& name) const {
    return to_json(run_options_from_json(
        lab::read_recipe(dir_ / "recipes/systems" / (name + ".json"))));
  }

  ScriptOutcome tune(const std::string& arguments) {
    return script("tune-systems", "--recipes '" + (dir_ / "recipes").string() +
                                      "' " + arguments);
  }

  ScriptOutcome script(const std::string& name, const std::string& arguments) {
    const std::string command = "OGNN='" OGNN_BINARY
                                "' BUDGET='--trials 2 --min-budget 2' "
                                "LIMITS='--epochs 3' '" ORDERED_GNN_RECIPES
                                "/../scripts/" +
                                name + "' --out '" + (dir_ / "out").string() +
                                "' " + arguments + " 2>&1";
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
  const Json link = member("link", "tiny");
  EXPECT_TRUE(contains(link.at("//source"), "by validation accuracy among 3"));
  EXPECT_EQ(link.at("epochs"), 3);
  EXPECT_EQ(link.at("seed"), 7);
  // Only what differs from what the file says for all.
  EXPECT_FALSE(link.contains("splits"));
  EXPECT_FALSE(link.contains("model"));
  EXPECT_FALSE(link.contains("data"));
  EXPECT_EQ(options("link/tiny").at("model"), "link");
  EXPECT_EQ(member("link", "other"), Json({{"seed", 8}}));
  EXPECT_EQ(options("label_propagation/tiny").at("epochs"), 1);
  // The winner has taken the place of what the search started from.
  const std::string log = core::read_file(dir_ / "out/link/tiny/runs.jsonl");
  const ScriptOutcome second = tune("--jobs 2 " + both);
  ASSERT_EQ(second.status, 0) << second.text;
  EXPECT_EQ(core::read_file(dir_ / "out/link/tiny/runs.jsonl"), log);
  EXPECT_EQ(member("link", "tiny"), link);
}

TEST_F(TuneSystems, TwoOfOneFileAtATimeBothCount) {
  const ScriptOutcome outcome =
      tune("--jobs 2 link/tiny link/other -- --threads 1");
  ASSERT_EQ(outcome.status, 0) << outcome.text;
  for (const char* dataset : {"tiny", "other"}) {
    EXPECT_EQ(member("link", dataset).at("epochs"), 3) << dataset;
  }
}

TEST_F(TuneSystems, AFileOfItsOwnIsReplacedAsAWhole) {
  write_text(file("link/own"), R"({"model": "link", "data":
    "synthetic:csbm?nodes=60&classes=3&features=8&degree=4&splits=3"})");
  const ScriptOutcome outcome = tune("link/own -- --threads 1");
  ASSERT_EQ(outcome.status, 0) << outcome.text;
  const Json own = Json::parse(core::read_file(file("link/own")));
  EXPECT_EQ(own.at("epochs"), 3);
  EXPECT_EQ(own.at("model"), "link");
  EXPECT_FALSE(own.contains("splits"));
}

TEST_F(TuneSystems, OneThatFailsDoesNotStopTheOthers) {
  write_recipes("sgc", {{"model", "sgc"}, {"split-set", "none-such"}});
  write_recipes("gcn", {{"model", "gcn"}, {"layer", 2}});
  const std::string before = core::read_file(file("sgc"));
  const ScriptOutcome outcome =
      tune("sgc/tiny gcn/tiny link/tiny -- --threads 1");
  EXPECT_NE(outcome.status, 0);
  EXPECT_TRUE(contains(outcome.text, "sgc/tiny: failed, see"));
  EXPECT_TRUE(contains(outcome.text, "gcn/tiny: failed, see"));
  EXPECT_TRUE(contains(outcome.text, "did you mean 'layers'"));
  EXPECT_TRUE(contains(outcome.text, "link/tiny: best on"));
  EXPECT_EQ(core::read_file(file("sgc")), before);
}

TEST_F(TuneSystems, MistakesAreSaidBeforeAnythingRuns) {
  for (const auto& [arguments, message] :
       std::vector<std::pair<std::string, std::string>>{
           {"link/tiny gcnn/tiny", "there is no recipe"},
           {"link", "there is no recipe for texas"},
           {"--job 2", "unknown option --job"},
           {"--jobs", "--jobs needs a value"},
           {"--jobs 0 link/tiny", "--jobs takes"}}) {
    const ScriptOutcome outcome = tune(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_TRUE(contains(outcome.text, message)) << outcome.text;
  }
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
}

// Two systems of recipes/modern on a graph of three splits.
void write_modern(const std::filesystem::path& recipes) {
  const Json graph = {
      {"data",
       "synthetic:csbm?nodes=60&classes=3&features=8&degree=4&splits=3"},
      {"layers", 2},
      {"hidden", 16},
      {"epochs", 3}};
  write_text(recipes / "modern/graphs.json",
             Json{{"for", {{"tiny", graph}}}}.dump());
  for (const char* system : {"mlp", "ordered_gnn_transform"}) {
    Json file = {{"model", system[0] == 'm' ? "mlp" : "ordered_gnn"},
                 {"for", {{"tiny", {{"base", "graphs/tiny.json"}}}}}};
    if (system[0] == 'o') file["transform"] = "linear";
    write_text(recipes / "modern" / (std::string(system) + ".json"),
               file.dump());
  }
}

TEST_F(TuneSystems, TheModernSetHasItsOwnRecipesAndSearches) {
  write_modern(dir_ / "recipes");
  const ScriptOutcome outcome =
      tune("--set modern mlp/tiny ordered_gnn_transform/tiny -- --threads 1");
  ASSERT_EQ(outcome.status, 0) << outcome.text;
  const Json written = Json::parse(
      core::read_file(dir_ / "recipes/modern/ordered_gnn_transform.json"));
  const Json& member = written.at("for").at("tiny");
  EXPECT_EQ(member.at("//sweep"), "search/modern/ordered_gnn_transform");
  EXPECT_EQ(member.at("base"), "graphs/tiny.json");
  EXPECT_FALSE(member.contains("splits"));
  EXPECT_FALSE(member.contains("transform"));
  EXPECT_EQ(tune("--set moden").status, 2);
  // All systems of the set, on graphs for which these have no recipes.
  EXPECT_TRUE(contains(tune("--set modern").text,
                       "there is no recipe for minesweeper"));
}

TEST_F(TuneSystems, ModernSearchEndsWithTheTableAndGoesOn) {
  write_modern(dir_ / "out/recipes");
  const ScriptOutcome cut =
      script("modern-search", "--minutes 0 --datasets tiny -- --threads 1");
  EXPECT_EQ(cut.status, 124) << cut.text;
  EXPECT_TRUE(contains(cut.text, "the time is up"));
  const std::string all = "--minutes 9 --datasets tiny -- --threads 1";
  const ScriptOutcome first = script("modern-search", all);
  ASSERT_EQ(first.status, 0) << first.text;
  EXPECT_TRUE(contains(first.text, "tiny: done"));
  const std::filesystem::path made = dir_ / "out/reproduction";
  const std::string page = core::read_file(made / "modern/table.md");
  EXPECT_TRUE(contains(page, "| MLP"));
  EXPECT_FALSE(contains(page, "NOT SEARCHED"));
  const auto lines = [&] {
    const std::string log = core::read_file(made / "runs.jsonl");
    return std::count(log.begin(), log.end(), '\n');
  };
  const auto before = lines();
  ASSERT_EQ(script("modern-search", all).status, 0);
  EXPECT_EQ(lines(), before);
  EXPECT_EQ(core::read_file(made / "modern/table.md"), page);
  EXPECT_EQ(script("modern-search", "--minute 3").status, 2);
}

}  // namespace
}  // namespace ordered_gnn
