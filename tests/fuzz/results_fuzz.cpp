#include "fuzz/harness.h"
#include "fuzz/page_checks.h"
#include "fuzz/targets.h"
#include "lab/page/run_page.h"
#include "lab/reproduce/report.h"

namespace ordered_gnn {

// The folder of `ognn reproduce`: results.json of experiments, reasons.json.
void fuzz::try_results(std::string_view input) {
  const std::filesystem::path folder = fuzz::write_folder(input);
  const lab::FolderResults results = lab::read_results(folder);
  lab::results_page(results, "{}/");
  for (const lab::ExperimentResult& result : results.experiments) {
    lab::experiment_csv(result);
    lab::experiment_text(result);
    lab::experiment_latex(result);
    lab::experiment_plots(result);
  }
  fuzz::require_closed_scripts(lab::html_page(lab::run_page(folder)));
  if (!results.problems.empty()) throw Error(results.problems[0]);
}

}  // namespace ordered_gnn
