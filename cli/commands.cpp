#include "commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ordered_gnn/version.h"
#include "scale/features.h"
#include "shared/help_text.h"

namespace ordered_gnn::cli {
namespace {

std::string version_text() {
  std::string text =
      fmt::format("ognn {} ({})\nengines between ranks: {}", kVersion, kCommit,
                  fmt::join(scale::engines(), ", "));
  for (const std::string& missing : scale::missing_features()) {
    text += "\nbuilt without " + missing;
  }
  return text;
}

void describe(CLI::App& app) {
  app.name("ognn");
  app.description(
      "Node classification with the Ordered GNN, on graphs whose neighbours "
      "agree or disagree.");
  app.set_help_flag("-h,--help", "show this help and stop");
  use_help_text(app);
  app.set_version_flag("--version", version_text(),
                       "show the version and stop");
  app.require_subcommand(0, 1);
  app.allow_extras();
  app.footer(
      "Start here:\n"
      "  ognn demo                                   three models, two graphs\n"
      "  ognn data list                              what can be trained on\n"
      "  ognn train --data texas --out runs/texas    train and save\n"
      "  ognn predict --checkpoint runs/texas/split-0/model.safetensors "
      "--out pred.csv\n"
      "  ognn help train                             options of a command\n"
      "Exit status: 0 done, 1 failed, 2 wrong usage.");
}

}  // namespace

void add_commands(CLI::App& app) {
  describe(app);
  add_train(app);
  add_predict(app);
  add_evaluate(app);
  add_explain(app);
  add_serve(app);
  add_run_report(app);
  add_tune(app);
  add_sweep(app);
  add_compare(app);
  add_data(app);
  add_partition(app);
  add_models(app);
  add_demo(app);
  add_bench(app);
  add_reproduce(app);
  add_completion(app);
  add_help(app);
}

}  // namespace ordered_gnn::cli
