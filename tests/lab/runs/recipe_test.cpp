#include "lab/runs/recipe.h"

#include <gtest/gtest.h>

#include "core/affixes.h"
#include "core/io/file.h"
#include "lab/runs/recipes.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

namespace fs = std::filesystem;

// Names of those that can be trained: search spaces have a form of their own,
// see spec_test.cpp, and "paper" is a base that has no data.
std::vector<std::string> shipped_recipes() {
  std::vector<std::string> names;
  for (const std::string& name : builtin_recipe_names()) {
    if (name.rfind("search/", 0) != 0 && name != "paper") names.push_back(name);
  }
  return names;
}

RunOptions shipped(const std::string& name) {
  RunOptions options;
  apply_recipe(fs::path(ORDERED_GNN_RECIPES) / (name + ".json"), options);
  return options;
}

TEST(Recipes, EveryShippedOneIsValid) {
  const std::vector<std::string> names = shipped_recipes();
  EXPECT_EQ(names.size(), 470u);
  for (const std::string& name : names) {
    EXPECT_EQ(error_of([&] { validate(shipped(name)); }), "") << name;
  }
}

TEST(Recipes, Table2HoldsThePublishedHyperParameters) {
  RunOptions options;
  apply_recipe(fs::path(ORDERED_GNN_RECIPES) / "table2/texas.json", options);
  EXPECT_TRUE(options.network.tied_gates);
  EXPECT_EQ(options.network.layers, 8);
  EXPECT_DOUBLE_EQ(options.network.dropout_theta, 0.3);
  EXPECT_DOUBLE_EQ(options.train.l2_theta, 0.05);
  EXPECT_DOUBLE_EQ(options.train.l2_xi, 5e-6);
  apply_recipe(fs::path(ORDERED_GNN_RECIPES) / "table2/squirrel.json", options);
  EXPECT_EQ(options.data.treatment.features, Treatment::Features::identity);
  EXPECT_EQ(options.data.treatment.direction, Direction::reversed);
  EXPECT_EQ(options.train.input_norm, InputNorm::decay);
}

TEST(Recipes, EveryDatasetIsKnownByName) {
  for (const std::string& name : shipped_recipes()) {
    // Those are for data that has no recipe of its own.
    if (name.rfind("tune/", 0) == 0) continue;
    EXPECT_NE(find_named_dataset(shipped(name).data.data), nullptr) << name;
  }
}

TEST(Recipes, DepthRecipesTieTheirGatesExceptAt32Layers) {
  for (const char* name : {"cora", "citeseer", "pubmed"}) {
    for (const int64_t layers : {2, 4, 8, 16, 32}) {
      const RunOptions options =
          shipped("depth/" + std::string(name) + "-" + std::to_string(layers));
      EXPECT_EQ(options.data.data, name);
      EXPECT_EQ(options.data.split_set, "planetoid-full");
      EXPECT_EQ(options.network.layers, layers);
      EXPECT_EQ(options.network.tied_gates, layers != 32);
    }
    EXPECT_EQ(shipped("layers64/" + std::string(name)).network.layers, 64);
  }
  EXPECT_DOUBLE_EQ(shipped("depth/pubmed-32").train.l2_xi, 0.5);
  EXPECT_DOUBLE_EQ(shipped("depth/citeseer-16").train.l2_xi, 0.05);
  EXPECT_DOUBLE_EQ(shipped("depth/cora-16").train.l2_theta, 0.05);
}

TEST(Recipes, TunedDepthChangesTheNumberOfLayersAlone) {
  for (const char* name : {"cora", "citeseer"}) {
    const auto recipe = [&](int64_t layers) {
      return shipped(fmt::format("depth-tuned/{}-{}", name, layers));
    };
    const Json shallow = to_json(recipe(2));
    for (const int64_t layers : {4, 8, 16, 32, 64}) {
      RunOptions options = recipe(layers);
      EXPECT_EQ(options.network.layers, layers);
      options.network.layers = 2;
      EXPECT_EQ(to_json(options), shallow) << name << layers;
    }
  }
}

TEST(Recipes, TheAblationChangesTheGatingAlone) {
  for (const char* setting : {"homophily", "heterophily", "over-smoothing"}) {
    const auto recipe = [&](const std::string& gating) {
      return shipped("ablation/" + std::string(setting) + "-" + gating);
    };
    const Json full = to_json(recipe("softor"));
    for (const char* gating : {"none", "simple", "ordered", "softor"}) {
      Json json = to_json(recipe(gating));
      EXPECT_EQ(json["gating"], gating);
      json["gating"] = "softor";
      EXPECT_EQ(json, full) << setting << ' ' << gating;
    }
  }
}

TEST(Recipes, LargerGraphsHaveThePublishedHyperParameters) {
  const RunOptions subject = shipped("large/ogbn-arxiv");
  EXPECT_EQ(subject.data.treatment.direction, Direction::undirected);
  EXPECT_TRUE(subject.network.tied_gates);
  EXPECT_DOUBLE_EQ(subject.train.l2_theta, 5e-8);
  const RunOptions year = shipped("large/arxiv-year");
  EXPECT_FALSE(year.network.tied_gates);
  EXPECT_DOUBLE_EQ(year.train.l2_theta, 0);
  EXPECT_EQ(year.network.mlp_layers, 3);
}

TEST(BuiltinRecipes, AreFoundUnderEverySpelling) {
  for (const char* spelling :
       {"table2/texas", "table2/texas.json", "recipes/table2/texas.json",
        "./recipes/table2/texas.json"}) {
    EXPECT_EQ(find_recipe(spelling), "table2/texas");
  }
  EXPECT_EQ(find_recipe("paper.json"), "paper");
  for (const char* other : {"texas", "table2", "table2/texas/x", ".json", ""}) {
    EXPECT_EQ(find_recipe(other), "") << other;
  }
}

TEST(BuiltinRecipes, StandInForAFileThatIsNotThere) {
  RunOptions built_in;
  apply_recipe("table2/squirrel", built_in);
  EXPECT_EQ(to_json(built_in), to_json(shipped("table2/squirrel")));
  RunOptions options;
  EXPECT_TRUE(contains(error_of([&] { apply_recipe("table2/texs", options); }),
                       "did you mean the built-in recipe 'table2/texas'"));
  EXPECT_TRUE(contains(error_of([&] { apply_recipe("nothing/x", options); }),
                       "no such file"));
  EXPECT_TRUE(contains(error_of([&] { apply_recipe("table2", options); }),
                       "holds recipes for actor, chameleon"));
}

TEST(BuiltinRecipes, AFileComesFirst) {
  const TempDir dir;
  write_text(dir / "table2" / "texas.json", "{\"layers\": 3}");
  const fs::path before = fs::current_path();
  fs::current_path(dir.path());
  RunOptions options;
  apply_recipe("table2/texas.json", options);
  fs::current_path(before);
  EXPECT_EQ(options.network.layers, 3);
}

TEST(Recipes, MistakesAreNamedWithTheFile) {
  const TempDir dir;
  const fs::path file = dir / "r.json";
  RunOptions options;
  const auto refused = [&](const char* text) {
    write_text(file, text);
    return error_of([&] { apply_recipe(file, options); });
  };
  EXPECT_TRUE(contains(refused("{\"layer\": 3}"), "r.json"));
  EXPECT_TRUE(contains(refused("{\"layer\": 3}"), "did you mean 'layers'"));
  EXPECT_TRUE(contains(refused("{\"layers\": \"x\"}"), "'layers' takes"));
  EXPECT_TRUE(contains(refused("{\"layers\": 3"), "is no JSON"));
  EXPECT_TRUE(contains(refused("[1]"), "one JSON object"));
  EXPECT_TRUE(
      contains(error_of([&] { apply_recipe(dir / "none.json", options); }),
               "none.json"));
  EXPECT_TRUE(contains(error_of([&] { apply_recipe(dir.path(), options); }),
                       "is a folder"));
}

}  // namespace
}  // namespace ordered_gnn::lab
