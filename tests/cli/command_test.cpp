#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

TEST(Ognn, HelpTeachesWithExamples) {
  const Outcome top = run_ognn({"--help"});
  EXPECT_EQ(top.status, 0);
  for (const char* name :
       {"train", "predict", "evaluate", "sweep", "data", "partition", "models",
        "completion", "demo", "explain", "report", "tune", "serve"}) {
    EXPECT_TRUE(contains(top.out, name)) << name;
    const Outcome sub = run_ognn({name, "--help"});
    EXPECT_EQ(sub.status, 0) << name;
  }
  const Outcome train = run_ognn({"train", "--help"});
  EXPECT_TRUE(contains(train.out, "Examples:"));
  EXPECT_TRUE(contains(train.out, "--dropout-theta"));
  EXPECT_TRUE(contains(train.out, "--config table2/texas"));
}

TEST(Ognn, WithoutArgumentsShowsHelpAndFails) {
  const Outcome outcome = run_ognn({});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(contains(outcome.out, "Start here"));
}

TEST(Ognn, ModelsListsNameAndSummary) {
  const Json list = Json::parse(run_ognn({"models", "--json"}).out);
  ASSERT_TRUE(list.is_array());
  EXPECT_EQ(list[0].at("name"), "ordered_gnn");
  EXPECT_TRUE(list[0].at("summary").is_string());
  EXPECT_TRUE(list[0].at("defaults").empty());
}

TEST(Ognn, ModelsShowsTheDefaultsThatTrainTakes) {
  const Json list = Json::parse(run_ognn({"models", "--json"}).out);
  for (const Json& model : list) {
    if (model.at("name") != "gcn" && model.at("name") != "sgc") continue;
    const Outcome outcome =
        run_ognn({"train", "--model", model.at("name").get<std::string>(),
                  "--print-config"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const Json config = Json::parse(outcome.out);
    for (const auto& [name, value] : model.at("defaults").items()) {
      EXPECT_EQ(config.at(name), value) << model.at("name") << ' ' << name;
    }
  }
  EXPECT_TRUE(contains(run_ognn({"models"}).out, "--hidden 16"));
}

TEST(Ognn, ModelsPrintsAPageOfAllThatTheTableSays) {
  const std::string page = run_ognn({"models", "--markdown"}).out;
  EXPECT_EQ(page.rfind("# Models\n", 0), 0u);
  const Json list = Json::parse(run_ognn({"models", "--json"}).out);
  for (const Json& model : list) {
    const std::string row = fmt::format(
        "| `{}` | {} | {} | {}", model.at("name").get<std::string>(),
        model.at("summary").get<std::string>(),
        model.at("paper").get<std::string>(),
        model.at("reads").at(0).get<std::string>());
    EXPECT_TRUE(contains(page, row)) << row;
  }
  EXPECT_TRUE(contains(page, "layers 2, hidden 16, dropout-theta 0.5"));
  EXPECT_TRUE(contains(page, "taken by `ordered_gnn` and `mlp`."));
  EXPECT_EQ(run_ognn({"models", "--markdown", "--json"}).status, 2);
}

TEST(Train, TheRecipeWinsOverTheDefaultsOfTheModel) {
  const TempDir dir;
  write_text(dir / "r.json", R"({"model": "gcn", "hidden": 32, "lr": 0.1})");
  const Outcome outcome =
      run_ognn({"train", "--model", "sgc", "--lr", "0.2", "--config",
                (dir / "r.json").string(), "--print-config"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("model"), "sgc");
  EXPECT_EQ(json.at("hidden"), 32);
  EXPECT_EQ(json.at("lr"), 0.2);
  EXPECT_EQ(json.at("hops"), 2);
}

TEST(Train, PrintsOneJsonObjectOnStandardOutput) {
  const Outcome outcome = run_ognn(tiny_train({"--json", "--splits", "0,2"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("runs").size(), 2u);
  EXPECT_EQ(json.at("runs")[1].at("split"), 2);
  EXPECT_EQ(json.at("model"), "ordered_gnn");
}

TEST(Train, TheCommandLineWinsOverTheRecipe) {
  const TempDir dir;
  write_text(dir / "r.json", R"({"layers": 5, "hidden": 32, "lr": 0.1})");
  const Outcome outcome =
      run_ognn({"train", "--layers", "3", "--config", (dir / "r.json").string(),
                "--print-config"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("layers"), 3);
  EXPECT_EQ(json.at("hidden"), 32);
  EXPECT_EQ(json.at("lr"), 0.1);
}

TEST(Train, PrintedConfigIsARecipe) {
  const TempDir dir;
  const Outcome printed = run_ognn(tiny_train({"--print-config"}));
  write_text(dir / "r.json", printed.out);
  const Outcome again = run_ognn(
      {"train", "--config", (dir / "r.json").string(), "--print-config"});
  EXPECT_EQ(printed.out, again.out);
}

TEST(Train, PrintedConfigHasWhatTheBaseSays) {
  const TempDir dir;
  write_text(dir / "mine.json",
             R"({"base": "table2/texas.json", "model": "gcn", "lr": 0.5})");
  const auto printed = [&](const char* name) {
    return run_ognn(
        {"train", "--config", (dir / name).string(), "--print-config"});
  };
  const Outcome whole = printed("mine.json");
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_EQ(whole.err, "");
  const Json json = Json::parse(whole.out);
  EXPECT_FALSE(json.contains("base"));
  EXPECT_EQ(json.at("lr"), 0.5);
  // The base's word counts more than the defaults of the model.
  EXPECT_EQ(json.at("data"), "texas");
  EXPECT_EQ(json.at("layers"), 8);
  write_text(dir / "whole.json", whole.out);
  EXPECT_EQ(printed("whole.json").out, whole.out);
  write_text(dir / "table2/texas.json", R"({"data": "cora"})");
  const Outcome other = printed("mine.json");
  EXPECT_EQ(Json::parse(other.out).at("data"), "cora");
  EXPECT_TRUE(contains(other.err, "built-in table2/texas says something"));
}

TEST(Train, FlagsStandAloneOrTakeAValue) {
  const auto tied = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"train", "--print-config"});
    return Json::parse(run_ognn(more).out).at("tied-gates").get<bool>();
  };
  EXPECT_TRUE(tied({"--tied-gates"}));
  EXPECT_TRUE(tied({"--tied-gates", "--residual"}));
  EXPECT_FALSE(tied({"--tied-gates=false"}));
  EXPECT_FALSE(tied({}));
}

TEST(Train, ProgressGoesToStandardErrorUnlessQuiet) {
  std::vector<std::string> arguments = tiny_train();
  arguments.erase(std::find(arguments.begin(), arguments.end(), "--quiet"));
  const Outcome outcome = run_ognn(arguments);
  ASSERT_EQ(outcome.status, 0);
  EXPECT_TRUE(contains(outcome.err, "60 nodes"));
  EXPECT_TRUE(contains(outcome.err, "split 0 done (1/1)"));
  EXPECT_FALSE(contains(outcome.err, "\033"));
  EXPECT_TRUE(contains(outcome.out, "ordered_gnn on"));
}

TEST(Completion, ScriptsKnowCommandsOptionsAndValues) {
  const Outcome bash = run_ognn({"completion", "bash"});
  EXPECT_EQ(bash.status, 0);
  EXPECT_TRUE(contains(bash.out, "complete -o filenames -F _ognn ognn"));
  EXPECT_TRUE(contains(bash.out, "--dropout-theta"));
  EXPECT_TRUE(contains(bash.out, "none simple ordered softor"));
  EXPECT_TRUE(contains(run_ognn({"completion", "zsh"}).out, "#compdef ognn"));
  EXPECT_TRUE(contains(run_ognn({"completion", "fish"}).out, "-l gating"));
  EXPECT_EQ(run_ognn({"completion", "csh"}).status, 2);
}

TEST(Completion, TheBashScriptCompletes) {
  const TempDir dir;
  write_text(dir / "c.sh", run_ognn({"completion", "bash"}).out);
  write_text(dir / "t.sh",
             "source " + (dir / "c.sh").string() +
                 "\nCOMP_WORDS=(ognn train --gating so); COMP_CWORD=3\n_ognn\n"
                 "echo \"${COMPREPLY[@]}\"\n");
  const std::string command =
      "bash " + (dir / "t.sh").string() + " > " + (dir / "out").string();
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(core::read_file(dir / "out"), "softor\n");
}

TEST(Demo, RunsShortlyAndPrintsTheTable) {
  const TempDir dir;
  const Outcome outcome = run_ognn(
      {"demo", "--epochs", "1", "--quiet", "--out", (dir / "d").string()});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* name :
       {"MLP", "plain GNN", "Ordered GNN", "homophilous", "heterophilous"}) {
    EXPECT_TRUE(contains(outcome.out, name)) << name;
  }
  EXPECT_TRUE(std::filesystem::exists(dir / "d" / "homophilous-Ordered-GNN" /
                                      "split-0" / "model.safetensors"));
  EXPECT_TRUE(contains(outcome.out, (dir / "d" / "report.html").string()));
  EXPECT_TRUE(contains(core::read_file(dir / "d" / "report.html"),
                       "id=\"figure-demo-hops\""));
  EXPECT_TRUE(std::filesystem::exists(dir / "d" / "plots" / "demo-hops.svg"));
}

}  // namespace
}  // namespace ordered_gnn
