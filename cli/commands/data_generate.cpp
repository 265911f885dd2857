#include <fmt/format.h>

#include <memory>

#include "commands/data.h"
#include "data/formats/npz/dataset.h"
#include "data/generators/synthetic.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/registry.h"
#include "shared/output_file.h"

namespace ordered_gnn::cli {
namespace {

struct GenerateCommand {
  std::string spec;
  std::string out;
  bool compress = false;
  bool force = false;
  bool json = false;
  bool quiet = false;
};

void run_generate(const GenerateCommand& command) {
  if (command.spec.empty()) {
    throw UsageError(
        "no generator given, for example 'ognn data generate "
        "csbm?nodes=1000 --out graph.npz'; 'ognn data list' shows "
        "them");
  }
  if (command.out.empty())
    throw UsageError("no file given; add --out FILE.npz");
  require_writable(command.out, "PK", command.force);
  DataOptions options;
  options.data = data::is_synthetic_spec(command.spec)
                     ? command.spec
                     : "synthetic:" + command.spec;
  const RawDataset raw = resolve_dataset(options);
  data::write_npz_dataset(command.out, raw, npz_compression(command.compress));
  if (command.quiet && !command.json) return;
  print_written(raw, command.out, command.json);
}

std::string generator_help() {
  std::string text = "Keys of the generators:\n";
  for (const data::SyntheticGenerator& entry : data::synthetic_generators()) {
    text += fmt::format("  {}: {}\n", entry.name, entry.summary);
    if (entry.name != "csbm") continue;
    for (const OptionSpec& key : entry.keys) {
      text += fmt::format("    {:<14} {} ({}, default {})\n", key.name,
                          key.help, describe_values(key),
                          value_text(entry.defaults.at(key.name)));
    }
  }
  return text;
}

}  // namespace

void add_data_generate(CLI::App& data) {
  auto command = std::make_shared<GenerateCommand>();
  CLI::App& sub =
      *data.add_subcommand("generate", "Write a random graph as .npz");
  sub.add_option("SPEC", command->spec,
                 "NAME?key=value&..., 'synthetic:' may go before");
  sub.add_option("--out", command->out, "file to write")->type_name("FILE");
  sub.add_flag("--compress", command->compress, kCompressHelp);
  sub.add_flag("--force", command->force, "replace a file that is not ours");
  sub.add_flag("--json", command->json, "print one JSON object");
  sub.add_flag("--quiet", command->quiet, "do not say what was written");
  sub.footer(
      generator_help() +
      "Examples:\n"
      "  ognn data generate 'csbm?nodes=10000&homophily=0.2&classes=4' --out "
      "graph.npz\n"
      "  ognn data generate pubmed --out pubmed_shape.npz");
  call_on(sub, command, run_generate);
}

}  // namespace ordered_gnn::cli
