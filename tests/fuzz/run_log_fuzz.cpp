#include "fuzz/harness.h"
#include "fuzz/targets.h"
#include "lab/runs/run_log.h"

namespace ordered_gnn {

// runs.jsonl, in which broken lines are told of and left out.
void fuzz::try_run_log(std::string_view input) {
  const lab::RunLog log(fuzz::write_folder(input));
  for (const lab::LoggedRun& run : log.runs()) {
    fuzz::must_succeed("a record does not come back from its own text",
                       [&] { lab::logged_run_from_json(to_json(run)); });
  }
  if (!log.broken().empty()) throw Error(log.broken()[0]);
}

}  // namespace ordered_gnn
