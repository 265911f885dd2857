#include "fuzz/harness.h"
#include "fuzz/page_checks.h"
#include "fuzz/targets.h"
#include "lab/page/run_page.h"
#include "lab/runs/recipe.h"
#include "lab/sweep/sweep.h"

namespace ordered_gnn {

// The folder of a sweep: sweep.json, parallel.json and best.json, a recipe.
void fuzz::try_sweep_folder(std::string_view input) {
  const std::filesystem::path folder = fuzz::write_folder(input);
  lab::folder_fact(folder, "trials", lab::sweep_folder_kind());
  fuzz::require_closed_scripts(lab::html_page(lab::run_page(folder)));
  run_options_from_layers({lab::read_recipe(folder / "best.json")});
}

}  // namespace ordered_gnn
