#include "fuzz/harness.h"
#include "fuzz/page_checks.h"
#include "fuzz/targets.h"
#include "lab/page/run_page.h"
#include "lab/runs/curves.h"
#include "lab/runs/output_folder.h"
#include "train/run_folder.h"

namespace ordered_gnn {

namespace {

// What `ognn train --resume` reads before it goes on.
void resume_in(const std::filesystem::path& folder) {
  const Json identity = lab::folder_fact(folder, "identity");
  const lab::OutputFolder same(folder, lab::ExistingOutput::resume, identity,
                               Json::object());
  const Json stored = same.fact("config");
  if (stored.is_object()) run_options_from_layers({stored});
  training::RunFolder split(folder / "split-0", Json::object());
  split.finished();
  split.open_metrics(1);
}

// The settings differ, which has to be told.
void refuse_other_settings(const std::filesystem::path& folder) {
  try {
    const lab::OutputFolder other(folder, lab::ExistingOutput::resume,
                                  Json{{"layers", 7}}, Json::object());
  } catch (const Error&) {
  }
}

}  // namespace

// The folder of a run: run.json, summary.json, and of its splits result.json
// and metrics.jsonl.
void fuzz::try_run_folder(std::string_view input) {
  const std::filesystem::path folder = fuzz::write_folder(input);
  refuse_other_settings(folder);
  resume_in(folder);
  lab::write_curves(folder);
  fuzz::require_closed_scripts(lab::html_page(lab::run_page(folder)));
}

}  // namespace ordered_gnn
