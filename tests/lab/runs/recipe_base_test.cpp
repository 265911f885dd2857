// Recipes that say only what differs: bases, and several in one file.
#include <gtest/gtest.h>

#include "lab/runs/recipe.h"
#include "lab/runs/recipes.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

namespace fs = std::filesystem;

class RecipeBase : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    write_text(dir_ / name, text);
  }
  Json read(const std::string& name) { return read_recipe(dir_ / name); }
  std::string error_in(const std::string& name) {
    return error_of([&] { read(name); });
  }

  TempDir dir_;
};

TEST_F(RecipeBase, ARecipeSaysWhatDiffersFromItsBases) {
  write("first.json", R"({"lr": 0.1, "layers": 3, "data": "texas"})");
  write("more/second.json", R"({"base": "../first.json", "layers": 4})");
  write("third.json", R"({"base": "more/second.json", "hidden": 8})");
  EXPECT_EQ(read("third.json"),
            Json::parse(R"({"data": "texas", "hidden": 8, "layers": 4,
                            "lr": 0.1})"));
}

TEST_F(RecipeBase, ABaseMayBeBuiltIn) {
  write("mine.json", R"({"base": "table2/texas", "layers": 2})");
  Json texas = read_recipe("table2/texas");
  texas["layers"] = 2;
  EXPECT_EQ(read("mine.json"), texas);
}

TEST_F(RecipeBase, BothSpellingsOfAKeyAreOne) {
  write("base.json", R"({"dropout_theta": 0.5})");
  write("mine.json", R"({"base": "base.json", "dropout-theta": 0.25})");
  EXPECT_EQ(read("mine.json"), Json::parse(R"({"dropout-theta": 0.25})"));
}

TEST_F(RecipeBase, NullTakesBackWhatTheBaseSays) {
  write("base.json", R"({"lr": 0.5, "layers": 3})");
  write("mine.json", R"({"base": "base.json", "lr": null})");
  EXPECT_EQ(read("mine.json"), Json::parse(R"({"layers": 3})"));
  write("typo.json", R"({"base": "base.json", "layer": null})");
  EXPECT_TRUE(contains(error_in("typo.json"), "did you mean 'layers'"));
}

TEST_F(RecipeBase, AnotherModelBringsItsDefaultsBelowTheBase) {
  write("base.json", R"({"model": "gat", "hidden": 24})");
  write("mine.json", R"({"base": "base.json", "model": "gcn"})");
  RunOptions options;
  apply_recipe(dir_ / "mine.json", options);
  const RunOptions gcn = run_options_from_json({{"model", "gcn"}});
  EXPECT_EQ(options.model, "gcn");
  EXPECT_EQ(options.network.hidden, 24);
  options.network.hidden = gcn.network.hidden;
  EXPECT_EQ(to_json(options), to_json(gcn));
  // So does a model of the command line, over both.
  const RunOptions mlp =
      run_options_from_layers({read("mine.json"), {{"model", "mlp"}}});
  EXPECT_EQ(mlp.network.hidden, 24);
  EXPECT_EQ(mlp.train.epochs,
            run_options_from_json({{"model", "mlp"}}).train.epochs);
}

TEST_F(RecipeBase, AFileOfTheNameComesBeforeTheBuiltInAndIsTold) {
  const auto notes_of = [&] {
    std::vector<std::string> notes;
    read_recipe(dir_ / "mine.json", &notes);
    return notes;
  };
  write("mine.json", R"({"base": "table2/texas.json"})");
  EXPECT_TRUE(notes_of().empty());
  write("table2/texas.json", R"({"lr": 0.5})");
  EXPECT_EQ(read("mine.json"), Json::parse(R"({"lr": 0.5})"));
  const std::vector<std::string> notes = notes_of();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(contains(notes[0], (dir_ / "table2/texas.json").string()));
  EXPECT_TRUE(contains(notes[0], "built-in table2/texas says something else"));
  // Which of two that are the same is nobody's business.
  fs::copy(fs::path(ORDERED_GNN_RECIPES) / "table2.json", dir_ / "table2.json");
  fs::copy(fs::path(ORDERED_GNN_RECIPES) / "paper.json", dir_ / "paper.json");
  fs::remove(dir_ / "table2/texas.json");
  EXPECT_TRUE(notes_of().empty());
}

TEST_F(RecipeBase, BuiltInRecipesHaveBuiltInBases) {
  write("paper.json", R"({"layers": 77})");
  write("table2.json", R"({"layers": 78, "for": {"texas": {}}})");
  const Json texas = read_recipe("table2/texas");
  const fs::path before = fs::current_path();
  fs::current_path(dir_.path());
  const Json here = read_recipe("table2/texas");
  const Json built_in = recipe_of(read_builtin_chain("table2/texas"));
  const Json path = read_recipe("table2/texas.json");
  fs::current_path(before);
  EXPECT_EQ(here, texas);
  EXPECT_EQ(built_in, texas);
  EXPECT_EQ(path.at("layers"), 78);
}

TEST_F(RecipeBase, CirclesAreToldAsAWhole) {
  write("a.json", R"({"base": "b.json"})");
  write("b.json", R"({"base": "./c.json"})");
  write("c.json", R"({"base": "b.json"})");
  const std::string error = error_in("a.json");
  const auto file = [&](const char* name) { return (dir_ / name).string(); };
  EXPECT_TRUE(contains(error, "go in a circle"));
  EXPECT_TRUE(contains(error, file("a.json") + " -> " + file("b.json") +
                                  " -> " + file("c.json") + " -> " +
                                  file("b.json")));
  write("self.json", R"({"base": "self.json"})");
  EXPECT_TRUE(contains(error_in("self.json"), "go in a circle"));
}

TEST_F(RecipeBase, AMissingBaseIsToldWithTheChain) {
  write("a.json", R"({"base": "b.json"})");
  write("b.json", R"({"base": "table2/texs"})");
  EXPECT_TRUE(contains(error_in("b.json"),
                       "b.json: base 'table2/texs': there is no such file; did "
                       "you mean the built-in recipe 'table2/texas'?"));
  EXPECT_TRUE(contains(error_in("a.json"), (dir_ / "a.json").string() + " -> " +
                                               (dir_ / "b.json").string()));
}

TEST_F(RecipeBase, ThereIsALimit) {
  write("0.json", R"({"lr": 0.5})");
  for (size_t i = 1; i <= kMostBases + 1; ++i) {
    write(fmt::format("{}.json", i),
          fmt::format("{{\"base\": \"{}.json\"}}", i - 1));
  }
  EXPECT_EQ(read(fmt::format("{}.json", kMostBases)).at("lr"), 0.5);
  EXPECT_TRUE(contains(error_in(fmt::format("{}.json", kMostBases + 1)),
                       "more than 16 bases: "));
}

TEST_F(RecipeBase, MistakesAreToldWithTheFileThatHasThem) {
  write("base.json", R"({"layer": 3})");
  write("mine.json", R"({"base": "base.json", "lr": 1})");
  EXPECT_TRUE(contains(error_in("mine.json"), "base.json: unknown key"));
  for (const char* wrong : {"3", "\"\"", "[\"x\"]", "{}"}) {
    write("mine.json", fmt::format("{{\"base\": {}}}", wrong));
    EXPECT_TRUE(contains(error_in("mine.json"),
                         "mine.json: \"base\" must be the name or path"));
  }
}

TEST_F(RecipeBase, AFileMayHoldSeveral) {
  write("gcn.json", R"({"//": "x", "model": "gcn", "lr": 0.5, "l2-xi": 1,
    "for": {"//": "z", "one": {"data": "texas", "l2_xi": 2, "//": "y"},
            "two_b": {"data": "cora", "lr": null}}})");
  EXPECT_EQ(read("gcn/one.json"),
            Json::parse(R"({"model": "gcn", "lr": 0.5, "l2-xi": 2,
                            "data": "texas"})"));
  EXPECT_EQ(read("gcn/two_b.json"),
            Json::parse(R"({"model": "gcn", "l2-xi": 1, "data": "cora"})"));
  EXPECT_TRUE(contains(error_in("gcn/three.json"), "there is no such file"));
  EXPECT_TRUE(contains(error_in("gcn.json"), "holds recipes for one, two_b"));
  EXPECT_TRUE(contains(error_in("gcn.json"), "gcn/one.json"));
  write("gcn/one.json", R"({"lr": 7})");
  EXPECT_EQ(read("gcn/one.json"), Json::parse(R"({"lr": 7})"));
  EXPECT_EQ(recipe_names_in(dir_.path(), "gcn"),
            (std::vector<std::string>{"gcn/one", "gcn/two_b"}));
  EXPECT_TRUE(recipe_names_in(dir_.path(), "none").empty());
}

TEST_F(RecipeBase, WhatAFileSaysForAllIsAboveBases) {
  write("base.json", R"({"lr": 0.1, "layers": 1, "hidden": 1})");
  write("other.json", R"({"lr": 0.2, "layers": 2, "hidden": 2})");
  write("all.json", R"({"base": "base.json", "layers": 3,
    "for": {"one": {}, "two": {"base": "other.json", "hidden": 4},
            "three": {"base": "all/two.json"}, "four": {"base": null}}})");
  EXPECT_EQ(read("all/one.json"),
            Json::parse(R"({"lr": 0.1, "layers": 3, "hidden": 1})"));
  EXPECT_EQ(read("all/two.json"),
            Json::parse(R"({"lr": 0.2, "layers": 3, "hidden": 4})"));
  EXPECT_EQ(read("all/three.json"), read("all/two.json"));
  EXPECT_EQ(read("all/four.json"), Json::parse(R"({"layers": 3})"));
}

TEST_F(RecipeBase, FilesOfSeveralAreCheckedAsOne) {
  for (const auto& [text, message] :
       std::vector<std::pair<const char*, const char*>>{
           {R"({"for": []})", "\"for\" must be an object"},
           {R"({"for": {}})", "\"for\" must be an object"},
           {R"({"for": {"one": 3}})", "is no object"},
           {R"({"for": {"one": {"for": {}}}})", "one is the most"},
           {R"({"for": {"one": {"layer": 3}}})", "all.json for one: unknown"},
           {R"({"layer": 3, "for": {"one": {}}})", "did you mean 'layers'"},
           {R"({"for": )", "is no JSON"}}) {
    write("all.json", text);
    EXPECT_TRUE(contains(error_in("all/one.json"), message)) << text;
    EXPECT_TRUE(contains(error_in("all/one.json"), "all.json")) << text;
  }
}

}  // namespace
}  // namespace ordered_gnn::lab
