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

std::vector<fs::path> shipped_recipes() {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(ORDERED_GNN_RECIPES)) {
    // Search spaces have a form of their own, see sweep_spec_test.cpp.
    const fs::path inside =
        entry.path().lexically_relative(ORDERED_GNN_RECIPES);
    if (*inside.begin() == "search") continue;
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  return files;
}

TEST(Recipes, EveryShippedFileIsValid) {
  const std::vector<fs::path> files = shipped_recipes();
  EXPECT_GE(files.size(), 41u);
  for (const fs::path& file : files) {
    RunOptions options;
    EXPECT_EQ(error_of([&] {
                apply_recipe(file, options);
                validate(options);
              }),
              "")
        << file;
    EXPECT_FALSE(options.data.data.empty()) << file;
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
  EXPECT_EQ(options.data.features, "identity");
  EXPECT_EQ(options.data.treatment.direction, Direction::reversed);
  EXPECT_EQ(options.train.input_norm, InputNorm::decay);
}

RunOptions shipped(const std::string& name) {
  RunOptions options;
  apply_recipe(fs::path(ORDERED_GNN_RECIPES) / (name + ".json"), options);
  return options;
}

TEST(Recipes, EveryDatasetIsKnownByName) {
  for (const fs::path& file : shipped_recipes()) {
    RunOptions options;
    apply_recipe(file, options);
    EXPECT_NE(find_named_dataset(options.data.data), nullptr) << file;
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

TEST(BuiltinRecipes, AreTheShippedFiles) {
  size_t recipes = 0;
  for (const BuiltinRecipe& recipe : builtin_recipes()) {
    recipes += core::starts_with(recipe.name, "search/") ? 0 : 1;
    EXPECT_EQ(recipe.text, core::read_file(fs::path(ORDERED_GNN_RECIPES) /
                                           (recipe.name + ".json")));
  }
  EXPECT_EQ(recipes, shipped_recipes().size());
}

TEST(BuiltinRecipes, AreFoundUnderEverySpelling) {
  const BuiltinRecipe* const texas = find_recipe("table2/texas");
  ASSERT_NE(texas, nullptr);
  EXPECT_EQ(find_recipe("table2/texas.json"), texas);
  EXPECT_EQ(find_recipe("recipes/table2/texas.json"), texas);
  EXPECT_EQ(find_recipe("./recipes/table2/texas.json"), texas);
  EXPECT_EQ(find_recipe("texas"), nullptr);
  EXPECT_EQ(find_recipe(".json"), nullptr);
  EXPECT_EQ(find_recipe(""), nullptr);
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
}

}  // namespace
}  // namespace ordered_gnn::lab
