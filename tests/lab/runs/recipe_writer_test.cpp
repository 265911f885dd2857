#include "lab/runs/recipe_writer.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/io/file.h"
#include "lab/runs/recipe.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

using OrderedJson = nlohmann::ordered_json;

class RecipeWriter : public testing::Test {
 protected:
  RecipeWriter() {
    write_text(dir_ / "base.json", R"({"data": "texas", "lr": 0.5})");
    write_text(family_, R"({"model": "gcn", "hidden": 32, "epochs": 9, "for": {
      "one": {"base": "base.json", "layers": 4, "dropout-theta": 0.25},
      "two": {"data": "cora", "splits": "1-3"}}})");
  }

  Json in_family(const std::string& member) {
    return Json::parse(core::read_file(family_)).at("for").at(member);
  }

  const TempDir dir_;
  const std::filesystem::path family_ = dir_ / "gcn.json";
};

// What a sweep would hand over.
Json winner() {
  Json recipe = to_json(run_options_from_json({{"model", "gcn"},
                                               {"data", "texas"},
                                               {"hidden", 64},
                                               {"lr", 0.5},
                                               {"epochs", 9}}));
  recipe["splits"] = "all";
  recipe["//source"] = "a search";
  return recipe;
}

TEST_F(RecipeWriter, AFileOfItsOwnIsWritten) {
  EXPECT_EQ(recipe_target(dir_ / "new.json"), dir_ / "new.json");
  write_recipe(dir_ / "new.json", winner());
  EXPECT_EQ(core::read_file(dir_ / "new.json"), winner().dump(2) + "\n");
}

TEST_F(RecipeWriter, OneOfAFileTakesItsPlaceWithWhatDiffers) {
  const std::filesystem::path path = dir_ / "gcn/one.json";
  EXPECT_EQ(recipe_target(path), family_);
  const Json two = in_family("two");
  write_recipe(path, winner());
  EXPECT_EQ(in_family("one"),
            Json::parse(R"({"//source": "a search", "base": "base.json",
                            "hidden": 64})"));
  EXPECT_EQ(in_family("two"), two);
  Json wanted = winner();
  wanted["splits"] = "0";
  EXPECT_EQ(to_json(run_options_from_json(read_recipe(path))),
            to_json(run_options_from_json(wanted)));
  // Once more changes nothing.
  const std::string before = core::read_file(family_);
  write_recipe(path, winner());
  EXPECT_EQ(core::read_file(family_), before);
}

TEST_F(RecipeWriter, SplitsStayAndNewOnesAreAdded) {
  write_recipe(dir_ / "gcn/two.json", winner());
  EXPECT_EQ(in_family("two").at("splits"), "1-3");
  write_recipe(dir_ / "gcn/three.json", winner());
  EXPECT_EQ(in_family("three"),
            Json::parse(R"({"//source": "a search", "data": "texas",
                            "hidden": 64, "lr": 0.5})"));
}

TEST_F(RecipeWriter, AnotherModelIsSaidWithAllThatDiffers) {
  Json recipe = winner();
  recipe["model"] = "mlp";
  write_recipe(dir_ / "gcn/one.json", recipe);
  EXPECT_EQ(in_family("one").at("model"), "mlp");
  recipe["splits"] = "0";
  EXPECT_EQ(to_json(run_options_from_json(read_recipe(dir_ / "gcn/one.json"))),
            to_json(run_options_from_json(recipe)));
}

TEST_F(RecipeWriter, ManyAtATimeLoseNothing) {
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&, i] {
      write_recipe(dir_ / fmt::format("gcn/{}.json", i), winner());
    });
  }
  for (std::thread& writer : writers) writer.join();
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(in_family(std::to_string(i)).at("hidden"), 64);
  }
}

TEST_F(RecipeWriter, WhatCannotBeKeptIsRefused) {
  const std::string text = "{\n// a comment\n\"for\": {\"one\": {}}}";
  write_text(family_, text);
  EXPECT_TRUE(
      contains(error_of([&] { write_recipe(dir_ / "gcn/one.json", winner()); }),
               "gcn.json"));
  EXPECT_EQ(core::read_file(family_), text);
}

TEST(RecipeText, HasAsMuchInALineAsFits) {
  const std::string long_text(80, 'x');
  const OrderedJson object = {
      {"//", "about"},
      {"lr", 5e-06},
      {"for",
       {{"one", {{"data", "texas"}, {"lr", 0.5}}},
        {"two",
         {{"//", "why"},
          {"data", long_text},
          {"layers", 2},
          {"search", {{"lr", {1, 2}}, {"hidden", nullptr}}}}}}}};
  EXPECT_EQ(recipe_text(object),
            "{\n"
            "  \"//\": \"about\",\n"
            "  \"lr\": 5e-06,\n"
            "  \"for\": {\n"
            "    \"one\": {\"data\": \"texas\", \"lr\": "
            "0.5},\n"
            "    \"two\": {\n"
            "      \"//\": \"why\",\n"
            "      \"data\": \"" +
                long_text +
                "\",\n"
                "      \"layers\": 2, \"search\": "
                "{\"lr\": [1, 2], \"hidden\": null}\n"
                "    }\n"
                "  }\n"
                "}\n");
  EXPECT_EQ(OrderedJson::parse(recipe_text(object)), object);
}

}  // namespace
}  // namespace ordered_gnn::lab
