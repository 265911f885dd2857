#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands/data.h"
#include "core/names.h"
#include "data/formats/csv/dataset.h"
#include "data/formats/npz/dataset.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/registry.h"
#include "shared/output_file.h"

namespace ordered_gnn::cli {
namespace {

struct ConvertCommand : WritingFlags {
  std::unique_ptr<RunArguments> arguments;
  std::string spec;
  std::string out;
  std::string to = "auto";
};

enum class Target { npz, csv };

Target target_of(const ConvertCommand& command) {
  if (command.to != "auto") {
    return core::parse_enum<Target>("output format", command.to,
                                    {"npz", "csv"});
  }
  const std::filesystem::path out = command.out;
  if (out.extension() == ".npz") return Target::npz;
  if (!out.has_extension()) return Target::csv;
  throw UsageError(
      fmt::format("--out {}: expected a name that ends in .npz, or a folder "
                  "for CSV files; --to npz or --to csv says which",
                  command.out));
}

void run_convert(const ConvertCommand& command) {
  const RunOptions options = data_options(*command.arguments, command.spec);
  if (command.out.empty()) {
    throw UsageError("no output given; add --out FILE.npz or --out FOLDER");
  }
  const Target target = target_of(command);
  // Before the data is read: a mistake in the name should not cost a long read.
  if (target == Target::npz) {
    require_writable(command.out, "PK", command.force);
  } else {
    data::require_csv_target(command.out);
  }
  const RawDataset raw = resolve_dataset(options.data);
  if (target == Target::npz) {
    data::write_npz_dataset(command.out, raw,
                            npz_compression(command.compress));
  } else {
    data::write_csv_dataset(command.out, raw);
  }
  if (command.quiet && !command.json) return;
  print_written(raw, command.out, command.json);
}

}  // namespace

void add_data_convert(CLI::App& data) {
  auto command = std::make_shared<ConvertCommand>();
  CLI::App& sub = *data.add_subcommand(
      "convert", "Write any readable dataset as .npz or as CSV files");
  sub.add_option("DATASET", command->spec, "name, path or synthetic:NAME");
  command->arguments =
      std::make_unique<RunArguments>(sub, std::vector<std::string>{"Data"});
  sub.add_option("--out", command->out, "FILE.npz, or a folder for CSV")
      ->type_name("PATH");
  sub.add_option("--to", command->to, "npz or csv (default: told by --out)")
      ->type_name("FORMAT");
  add_writing_flags(sub, *command, "do not say what was written");
  sub.footer(
      "Nothing is lost: edges, features, labels, names and the chosen splits\n"
      "come back as they were, and so does the recommended treatment.\n"
      "Examples:\n"
      "  ognn data convert cora --split-set planetoid-full --out cora.npz\n"
      "  ognn data convert cora.npz --out cora_csv\n"
      "  ognn data convert my_csv_folder --out my_graph.npz");
  call_on(sub, command, run_convert);
}

}  // namespace ordered_gnn::cli
