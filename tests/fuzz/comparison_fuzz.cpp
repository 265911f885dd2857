#include "fuzz/harness.h"
#include "fuzz/page_checks.h"
#include "fuzz/targets.h"
#include "lab/compare/memory.h"
#include "lab/page/run_page.h"

namespace ordered_gnn {

// The folder of a comparison: compare.json and memory.json.
void fuzz::try_comparison(std::string_view input) {
  const std::filesystem::path folder = fuzz::write_folder(input);
  const lab::MemoryBook book(folder);
  fuzz::require_closed_scripts(lab::html_page(lab::run_page(folder)));
}

}  // namespace ordered_gnn
