#pragma once
#include <CLI/CLI.hpp>

namespace ordered_gnn::cli {

/// Makes the command `ognn` of an app: what its help says, and all subcommands.
void add_commands(CLI::App& app);

/// Each adds one subcommand; its callback does the work and throws on failure.
void add_train(CLI::App& app);
void add_predict(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_explain(CLI::App& app);
void add_serve(CLI::App& app);
void add_run_report(CLI::App& app);
void add_tune(CLI::App& app);
void add_sweep(CLI::App& app);
void add_compare(CLI::App& app);
void add_data(CLI::App& app);
void add_partition(CLI::App& app);
void add_models(CLI::App& app);
void add_demo(CLI::App& app);
void add_bench(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_completion(CLI::App& app);
void add_help(CLI::App& app);

}  // namespace ordered_gnn::cli
