#include "ordered_gnn/experiment/recipe.h"

#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> shipped_recipes() {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(ORDERED_GNN_RECIPES)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  return files;
}

TEST(Recipes, EveryShippedFileIsValid) {
  const std::vector<fs::path> files = shipped_recipes();
  EXPECT_GE(files.size(), 6u);
  for (const fs::path& file : files) {
    RunOptions options;
    EXPECT_EQ(error_of([&] {
                apply_recipe(file, options);
                validate(options);
              }),
              "no error")
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
  EXPECT_EQ(options.data.direction, "reversed");
  EXPECT_EQ(options.train.input_norm, InputNorm::decay);
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
}  // namespace ordered_gnn
