#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "commands/data.h"
#include "core/io/file.h"
#include "data/formats/npz/dataset.h"
#include "data/generators/synthetic.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/registry.h"
#include "scale/parts/drawn_source.h"
#include "scale/parts/streamed.h"
#include "scale/parts/writer.h"
#include "shared/output_file.h"

namespace ordered_gnn::cli {
namespace {

struct GenerateCommand : WritingFlags {
  std::string spec;
  std::string out;
  int64_t parts = 0;  // 0: one file
};

// Tables are written for a user to look at and import.
void write_customers(const GenerateCommand& command,
                     const data::CustomerOptions& options) {
  const std::filesystem::path folder = command.out;
  const data::CustomerTables tables = data::generate_customers(options);
  std::filesystem::create_directories(folder);
  const std::filesystem::path customers = folder / "customers.csv";
  const std::filesystem::path calls = folder / "calls.csv";
  require_writable(customers.string(), "customer,age,income", command.force);
  require_writable(calls.string(), "from,to,minutes", command.force);
  core::write_file(customers, tables.customers);
  core::write_file(calls, tables.calls);
  if (command.json) {
    std::cout << Json{{"customers", customers.string()},
                      {"calls", calls.string()},
                      {"num_customers", options.customers}}
                     .dump(2)
              << '\n';
  } else if (!command.quiet) {
    std::cout << fmt::format(
        "{} customers in {} and their calls in {}; import them with\n"
        "  ognn data import --nodes {} --id customer --label churn --edges {} "
        "--source from --target to --out customers.npz\n",
        options.customers, customers.string(), calls.string(),
        customers.string(), calls.string());
  }
}

// Parts of a graph that need not fit into memory.
void write_generated_parts(const GenerateCommand& command) {
  scale::require_part_count(command.parts);
  scale::require_free_folder(command.out, command.force);
  const ThreadScope threads;
  const auto source = scale::draw_source(command.spec);
  if (!source) {
    throw UsageError(
        "--parts: only csbm and small_world are written piece by piece, others "
        "are made in memory; generate an .npz of them and cut it with 'ognn "
        "partition'");
  }
  scale::StreamedCut cut;
  cut.parts = command.parts;
  cut.folder = command.out;
  cut.replace = command.force;
  // What 'ognn partition' takes for the same graph: some features are negative.
  cut.treatment.features = Treatment::Features::raw;
  const scale::PartsManifest manifest =
      scale::write_streamed(*source, cut).manifest;
  if (command.json) {
    std::cout << Json{{"out", command.out},
                      {"parts", manifest.num_parts()},
                      {"num_nodes", manifest.num_nodes},
                      {"num_edges", manifest.num_edges},
                      {"fingerprint", scale::parts_fingerprint(manifest)}}
                     .dump(2)
              << '\n';
  } else if (!command.quiet) {
    std::cout << fmt::format(
        "{}: {} parts by stream, {} nodes, {} messages, features raw, self "
        "loops added\n",
        command.out, manifest.num_parts(), manifest.num_nodes,
        manifest.num_edges);
  }
}

// What is written of customers and of parts has no use for every flag.
void require_used(const GenerateCommand& command, bool are_customers) {
  if (command.parts < 0) {
    throw UsageError(
        fmt::format("--parts {}: expected 1 or more", command.parts));
  }
  if (are_customers && command.parts > 0) {
    throw UsageError(
        "--parts: customers are tables; make a dataset of them with 'ognn data "
        "import' and cut it with 'ognn partition'");
  }
  if (command.compress && (are_customers || command.parts > 0)) {
    throw UsageError("--compress: only .npz files are compressed");
  }
}

void run_generate(const GenerateCommand& command) {
  if (command.spec.empty()) {
    throw UsageError(
        "no generator given, for example 'ognn data generate "
        "csbm?nodes=1000 --out graph.npz'; 'ognn data list' shows "
        "them");
  }
  if (command.out.empty())
    throw UsageError("no file given; add --out FILE.npz");
  const auto customers = data::parse_customers(command.spec);
  require_used(command, customers.has_value());
  if (customers) {
    write_customers(command, *customers);
    return;
  }
  if (command.parts > 0) {
    write_generated_parts(command);
    return;
  }
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
    if (entry.name != "csbm" && entry.name != "small_world" &&
        entry.name != "customers") {
      continue;
    }
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
  sub.add_option("--parts", command->parts,
                 "write a folder of this many parts to train on, piece by "
                 "piece; of csbm with dense features and small_world")
      ->type_name("P");
  add_writing_flags(sub, *command, "do not say what was written");
  sub.footer(
      generator_help() +
      "Examples:\n"
      "  ognn data generate 'csbm?nodes=10000&homophily=0.2&classes=4' --out "
      "graph.npz\n"
      "  ognn data generate pubmed --out pubmed_shape.npz\n"
      "  ognn data generate 'csbm?nodes=1000000' --parts 32 --out g.parts");
  call_on(sub, command, run_generate);
}

}  // namespace ordered_gnn::cli
