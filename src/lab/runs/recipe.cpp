#include "lab/runs/recipe.h"

#include <algorithm>

#include "core/affixes.h"
#include "core/io/file.h"
#include "core/names.h"
#include "lab/runs/recipes.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

// "./recipes/table2/texas.json" -> "table2/texas".
std::string recipe_name(const std::string& text) {
  const std::string path =
      std::filesystem::path(text).lexically_normal().string();
  std::string_view name = path;
  core::take_prefix(name, "recipes/");
  core::take_suffix(name, ".json");
  return std::string(name);
}

std::string recipe_text(const std::filesystem::path& file) {
  constexpr int64_t kMaxBytes = 1 << 20;
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored))
    return core::read_file(file, kMaxBytes);
  const BuiltinRecipe* const builtin = find_recipe(file.string());
  if (builtin != nullptr) return builtin->text;
  std::vector<std::string> known;
  for (const BuiltinRecipe& recipe : builtin_recipes()) {
    known.push_back(recipe.name);
  }
  const std::string nearest =
      core::nearest_name(recipe_name(file.string()), known);
  fail_in(file, nearest.empty()
                    ? "there is no such file, and no recipe of that name is "
                      "built in; those are called like table2/texas"
                    : fmt::format("there is no such file; did you mean the "
                                  "built-in recipe '{}'?",
                                  nearest));
}

Json parse_object(const std::string& text, const std::filesystem::path& where,
                  const std::string& otherwise) {
  Json values;
  try {
    values = Json::parse(text, /*cb=*/nullptr, /*allow_exceptions=*/true,
                         /*ignore_comments=*/true);
  } catch (const Json::parse_error& error) {
    fail_in(where, fmt::format("is no JSON: {}", error.what()));
  }
  if (!values.is_object()) fail_in(where, otherwise);
  return values;
}

Json parse_recipe(const std::string& text, const std::string& where) {
  const Json values = parse_object(
      text, where, "must hold one JSON object of option names and values");
  try {
    run_options_from_json(values);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", where, error.what()));
  }
  return values;
}

}  // namespace

const BuiltinRecipe* find_recipe(const std::string& name) {
  const std::string wanted = recipe_name(name);
  const std::vector<BuiltinRecipe>& recipes = builtin_recipes();
  const auto found = std::find_if(
      recipes.begin(), recipes.end(),
      [&](const BuiltinRecipe& recipe) { return recipe.name == wanted; });
  return found == recipes.end() ? nullptr : &*found;
}

Json read_json_object(const std::filesystem::path& file,
                      const std::string& otherwise) {
  return parse_object(recipe_text(file), file, otherwise);
}

Json read_recipe(const std::filesystem::path& file) {
  return parse_recipe(recipe_text(file), file.string());
}

void apply_recipe(const std::filesystem::path& file, RunOptions& options) {
  apply_values(read_recipe(file), options);
}

void apply_recipe_text(const std::string& text, const std::string& where,
                       RunOptions& options) {
  apply_values(parse_recipe(text, where), options);
}

}  // namespace ordered_gnn::lab
