// What the recipes of recipes/ say, whatever files and bases say it.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "core/io/file.h"
#include "core/io/sha256.h"
#include "lab/runs/recipe.h"
#include "lab/runs/recipe_writer.h"
#include "lab/runs/recipes.h"
#include "lab/sweep/spec.h"

namespace ordered_gnn::lab {
namespace {

// The options among `names`: one that was added later has no part in it.
Json values_of(const RunOptions& options,
               const std::vector<std::string>& names) {
  const Json all = to_json(options);
  Json values = Json::object();
  for (const std::string& name : names) values[name] = all.at(name);
  return values;
}

// Everything that a recipe or a sweep file of this name decides.
Json meaning_of(const std::string& name,
                const std::vector<std::string>& options) {
  if (name.rfind("search/", 0) != 0) {
    return values_of(run_options_from_json(read_recipe(name)), options);
  }
  const SweepSpec spec = read_sweep(name);
  Json meaning = to_json(sweep_option_table(), spec);
  meaning["base"] = values_of(spec.base, options);
  meaning["search"] = spec.space.json();
  meaning["each"] = spec.each.json();
  meaning["seeds"] = seeds_of(spec);
  return meaning;
}

std::string fingerprint(const Json& value) {
  core::Sha256 hash;
  hash.update(value.dump());
  return hash.hex();
}

// Everything that a key of `own` says must be news, what it takes back too.
void expect_news(const Json& own, const Json& below, const std::string& where) {
  for (const auto& [key, value] : own.items()) {
    if (key.rfind("//", 0) == 0 || key == "for" || key == "base") continue;
    const std::string place = where + " " + key;
    if (value.is_object()) {
      expect_news(value, below.value(key, Json::object()), place);
    } else if (value.is_null()) {
      EXPECT_TRUE(below.contains(key)) << place;
    } else {
      EXPECT_NE(below.value(key, Json()), value) << place;
    }
  }
}

// What an object has from its base and, in a file of several, from the file.
Json inherited(const std::filesystem::path& path, Json file,
               const std::string& member) {
  RecipeDocument bare;
  bare.file = path;
  bare.base = file.value("base", "");
  if (!member.empty()) {
    Json kept = Json::object();
    const Json& own = file["for"][member];
    if (own.contains("base")) kept["base"] = own["base"];
    EXPECT_NE(own.value("base", "none"), bare.base) << path << member;
    file["for"][member] = kept;
    bare = *member_document(file, path, member);
  }
  const RecipeChain chain = chain_of(bare);
  EXPECT_EQ(chain.missing, "");
  return combined(chain.documents);
}

TEST(ShippedRecipes, SayNothingThatTheirBasesSay) {
  for (const BuiltinRecipeFile& builtin : builtin_recipe_files()) {
    const std::filesystem::path path =
        std::filesystem::path(ORDERED_GNN_RECIPES) / (builtin.name + ".json");
    const Json file = Json::parse(builtin.text);
    expect_news(file, inherited(path, file, ""), builtin.name);
    const Json members = file.value("for", Json::object());
    for (const auto& [member, own] : members.items()) {
      expect_news(own, inherited(path, file, member),
                  builtin.name + "/" + member);
    }
  }
}

// The program that writes winners into them leaves the rest as it is.
TEST(ShippedRecipes, AreTheFilesAsTheyAreWritten) {
  for (const BuiltinRecipeFile& builtin : builtin_recipe_files()) {
    EXPECT_EQ(builtin.text,
              recipe_text(nlohmann::ordered_json::parse(
                  core::read_file(std::filesystem::path(ORDERED_GNN_RECIPES) /
                                  (builtin.name + ".json")))))
        << builtin.name;
  }
}

TEST(ShippedRecipes, AreTheSameOnTheDiskAndInTheProgram) {
  for (const std::string& name : builtin_recipe_names()) {
    const RecipeChain built_in = read_chain(name);
    const RecipeChain on_disk = read_chain(
        std::filesystem::path(ORDERED_GNN_RECIPES) / (name + ".json"));
    EXPECT_EQ(built_in.documents.size(), on_disk.documents.size()) << name;
    EXPECT_EQ(combined(built_in.documents), combined(on_disk.documents))
        << name;
    EXPECT_TRUE(on_disk.notes.empty()) << name;
  }
}

// The first line lists options, every other one a SHA-256 and the name of the
// recipe whose meaning has it.
TEST(ShippedRecipes, MeanWhatTheyMeantAsWholeFiles) {
  std::istringstream golden(core::read_file(
      std::filesystem::path(ORDERED_GNN_GOLDEN) / "recipes.sha256"));
  std::string line, word;
  std::getline(golden, line);
  std::istringstream first(line);
  std::vector<std::string> options;
  while (first >> word) options.push_back(word);
  EXPECT_FALSE(options.empty());
  size_t recipes = 0;
  for (std::string sum, name; golden >> sum >> name; ++recipes) {
    EXPECT_EQ(fingerprint(meaning_of(name, options)), sum) << name;
  }
  EXPECT_EQ(recipes, 368u);
}

}  // namespace
}  // namespace ordered_gnn::lab
