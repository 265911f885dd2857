#include "fuzz/harness.h"
#include "fuzz/targets.h"
#include "lab/runs/recipe.h"
#include "lab/runs/recipe_writer.h"
#include "lab/runs/recipes.h"

namespace ordered_gnn {

namespace {

void use_recipe(const std::filesystem::path& name) {
  const Json recipe = lab::read_recipe(name);
  const RunOptions options = run_options_from_layers({recipe});
  validate(options);
  fuzz::must_succeed("options do not come back from their own text",
                     [&] { run_options_from_json(to_json(options)); });
}

}  // namespace

// recipe.json and what it is based on, or family.json with several recipes.
void fuzz::try_recipe(std::string_view input) {
  const std::filesystem::path folder = fuzz::write_folder(input);
  if (!std::filesystem::exists(folder / "family.json")) {
    use_recipe(folder / "recipe.json");
    return;
  }
  for (const std::string& name : lab::recipe_names_in(folder, "family")) {
    use_recipe(folder / (name + ".json"));
  }
  std::filesystem::create_directories(folder / "family");
  lab::write_recipe(folder / "family" / "new.json", {{"lr", 0.5}});
  use_recipe(folder / "family" / "new.json");
}

}  // namespace ordered_gnn
