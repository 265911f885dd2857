#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "commands.h"
#include "core/io/file.h"
#include "lab/page/explanation_json.h"
#include "lab/page/explanation_page.h"
#include "ordered_gnn/core/error.h"
#include "shared/arguments.h"
#include "shared/checkpoint_arguments.h"
#include "shared/explain_text.h"
#include "shared/node_word.h"
#include "shared/output_file.h"
#include "shared/parts_answers.h"
#include "shared/raw_csv.h"
#include "shared/speech.h"

namespace ordered_gnn::cli {
namespace {

struct ExplainCommand : OutputFlags {
  std::unique_ptr<CheckpointArguments> arguments;
  PartsArguments parts;
  const CLI::Option* columns_option = nullptr;
  std::string out, plots;
  std::vector<std::string> nodes;
  int64_t split = -1;
  int64_t columns = ImportanceOptions().max_attributes;
  bool raw_csv = false, force = false;
};

void check_plots(const ExplainCommand& command) {
  const std::string& folder = command.plots;
  if (folder.empty()) {
    if (!command.raw_csv) return;
    throw UsageError("--raw-csv is about the tables of --plots; add that");
  }
  if (std::filesystem::exists(folder) &&
      !std::filesystem::is_directory(folder)) {
    fail_in(folder, "is a file; --plots takes a folder");
  }
}

void write_plots(const ExplainCommand& command,
                 const lab::ExplainedModel& model) {
  const lab::WrittenFigures written = lab::write_figures(
      lab::explanation_sections(model), command.plots,
      command.raw_csv ? core::FormulaText::kept : core::FormulaText::guarded);
  if (!command.quiet) {
    say(fmt::format("{} plots as .svg and .csv are in {}", written.names.size(),
                    command.plots));
  }
  tell_of_guards(written.num_guarded);
}

void require_cpu(const ExecutionOptions& execution) {
  if (execution.device == Device::cpu) return;
  throw UsageError("explanations are computed on the CPU; leave out --device");
}

lab::ExplainedModel explained(const ExplainCommand& command) {
  const LoadedCheckpoint loaded = load(*command.arguments);
  require_cpu(loaded.prediction.execution);
  if (loaded.prediction.execution.math != Math::fp32) {
    throw UsageError("explanations are computed in float; leave out --math");
  }
  if (loaded.prediction.execution.reorder != NodeOrder::none) {
    throw UsageError(
        "explanations are computed in the order of the data; leave out "
        "--reorder");
  }
  lab::ExplainOptions options;
  options.split = command.split;
  for (const std::string& word : command.nodes) {
    const NamedNode named = find_node(word, loaded.data);
    if (!named.note.empty() && !command.quiet) {
      say(named.note);
    }
    options.nodes.push_back(named.node);
  }
  options.listed_nodes = !command.out.empty();
  const bool about_graph =
      command.nodes.empty() || !command.out.empty() || !command.plots.empty();
  options.importance = about_graph && command.columns > 0;
  options.importance_attributes = command.columns;
  return lab::explain_checkpoint(loaded.trained, loaded.data,
                                 command.arguments->files.front(), options);
}

void print_result(const ExplainCommand& command,
                  const lab::ExplainedModel& model) {
  if (command.json) {
    std::cout << to_json(model).dump(2, ' ', false,
                                     Json::error_handler_t::replace)
              << '\n';
    return;
  }
  const bool wrote = !command.out.empty() || !command.plots.empty();
  if (command.nodes.empty()) {
    if (!wrote) std::cout << graph_text(model);
    return;
  }
  for (size_t i = 0; i < command.nodes.size(); ++i) {
    std::cout << (i == 0 ? "" : "\n") << node_text(model, model.nodes[i]);
  }
}

void show_explained(const ExplainCommand& command,
                    const lab::ExplainedModel& model) {
  if (!command.plots.empty()) write_plots(command, model);
  if (!command.out.empty()) {
    const std::string page = lab::html_page(lab::explanation_page(model));
    core::write_file(command.out, page);
    if (!command.quiet) {
      say(fmt::format("the page is {} ({:.1f} MB); open it in a browser",
                      command.out, static_cast<double>(page.size()) / 1e6));
    }
  }
  print_result(command, model);
}

// Over parts the graph is explained, and no single node.
void explain_over_parts(const ExplainCommand& command,
                        const std::filesystem::path& folder) {
  if (!command.nodes.empty() || command.columns_option->count() > 0) {
    throw UsageError(
        "over parts of a graph there is no --node and no --columns; give the "
        "data that the parts were made of as --data, on which the same "
        "checkpoint answers them");
  }
  const PartsCheckpoint checkpoint =
      load_over_parts(*command.arguments, folder);
  require_cpu(checkpoint.options.execution);
  const Trained& trained = checkpoint.loaded.trained;
  const int64_t split =
      lab::explained_split(trained, checkpoint.scored.data, command.split);
  const auto explain = [&](scale::PartsRun& run) {
    show_explained(command,
                   lab::explained_parts(trained, checkpoint.scored.data,
                                        command.arguments->files.front(), split,
                                        run.explain(*trained.model, split)));
  };
  with_ranks(checkpoint, command.parts, explain, scale::SpillUse::explanation);
}

void run_explain(const ExplainCommand& command) {
  if (!command.out.empty()) {
    require_writable(command.out, lab::kPageSignature, command.force);
  }
  check_plots(command);
  if (const auto folder = parts_folder(*command.arguments)) {
    explain_over_parts(command, *folder);
    return;
  }
  require_no_ranks(command.parts);
  show_explained(command, explained(command));
}

}  // namespace

void add_explain(CLI::App& app) {
  auto command = std::make_shared<ExplainCommand>();
  CLI::App& sub = *app.add_subcommand(
      "explain", "Show what a trained model does, for a graph or one node");
  command->arguments = std::make_unique<CheckpointArguments>(sub);
  add_split_option(sub, command->split);
  sub.add_option("--out", command->out,
                 "page to write: one HTML file that needs no network")
      ->type_name("FILE");
  sub.add_option(
         "--node", command->nodes,
         "node to explain in full, by its name, or number (number:12 where "
         "names are numbers too); may be repeated")
      ->type_name("NAME");
  command->columns_option =
      sub.add_option("--columns", command->columns,
                     "most columns whose importance on the whole graph is "
                     "measured; 0: none")
          ->type_name("INT")
          ->capture_default_str()
          ->check(CLI::NonNegativeNumber);
  sub.add_option("--plots", command->plots,
                 "folder for every plot as .svg and its numbers as .csv")
      ->type_name("DIR");
  add_parts_options(sub, command->parts);
  add_raw_csv_option(sub, command->raw_csv);
  sub.add_flag("--force", command->force, "replace a file that is not ours");
  add_output_flags(sub, *command, "print one JSON object",
                   "do not say what was written");
  sub.footer(
      "Prints a summary when neither --out nor --plots is given, and the "
      "explanation of every --node.\n"
      "docs/explain.md says what the numbers mean.\n"
      "Examples:\n"
      "  ognn explain --checkpoint runs/texas/split-0/model.safetensors\n"
      "  ognn explain --checkpoint runs/texas/split-0/model.safetensors "
      "--out report.html\n"
      "  ognn explain --checkpoint model.safetensors --node 12 --node 40\n"
      "  ognn explain --checkpoint model.safetensors --data g.parts --ranks 2  "
      " "
      "# the graph, part by part");
  call_on(sub, command, run_explain);
}

}  // namespace ordered_gnn::cli
