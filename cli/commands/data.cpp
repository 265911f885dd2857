#include "commands/data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>

#include "commands.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/statistics.h"

namespace ordered_gnn::cli {
namespace {

[[noreturn]] void fail_without_subcommand(const CLI::App& data) {
  std::vector<std::string> names;
  for (const CLI::App* sub : data.get_subcommands({})) {
    names.push_back(sub->get_name());
  }
  throw UsageError(fmt::format("say what to do with data, one of: {}",
                               fmt::join(names, ", ")));
}

}  // namespace

RunOptions data_options(const RunArguments& arguments,
                        const std::string& spec) {
  RunOptions options;
  arguments.apply(options);
  if (!spec.empty()) {
    if (!options.data.data.empty() && options.data.data != spec) {
      throw UsageError(fmt::format("two datasets given, '{}' and '{}'", spec,
                                   options.data.data));
    }
    options.data.data = spec;
  }
  if (options.data.data.empty()) {
    throw UsageError(
        "no dataset given; name one of 'ognn data list', a path, "
        "or synthetic:NAME");
  }
  return options;
}

void add_writing_flags(CLI::App& command, WritingFlags& flags,
                       const std::string& quiet_help) {
  command.add_flag("--compress", flags.compress,
                   "deflate the .npz: smaller, several times slower to load");
  command.add_flag("--force", flags.force, "replace a file that is not ours");
  add_output_flags(command, flags, "print one JSON object", quiet_help);
  add_max_memory(command);
}

core::NpzWriter::Compression npz_compression(bool compress) {
  return compress ? core::NpzWriter::Compression::deflated
                  : core::NpzWriter::Compression::stored;
}

void print_written(const RawDataset& raw, const std::string& out, bool json) {
  if (json) {
    nlohmann::ordered_json values = compute_statistics(raw);
    values["out"] = out;
    values["fingerprint"] = raw.provenance.fingerprint;
    std::cout << values.dump(2) << '\n';
    return;
  }
  std::cout << fmt::format(
      "{}: {} nodes, {} stored edges, {} features, {} classes, {} splits\n",
      out, raw.num_nodes, raw.edges.size(1), raw.features.num_features(),
      raw.num_classes, raw.splits.size());
}

void add_data(CLI::App& app) {
  CLI::App& data = *app.add_subcommand(
      "data",
      "List, describe, import, generate, convert, verify and fetch graphs");
  data.require_subcommand(0, 1);
  data.allow_extras();
  data.callback([&data] {
    refuse_extras(data);
    if (data.get_subcommands().empty()) fail_without_subcommand(data);
  });
  add_data_list(data);
  add_data_info(data);
  add_data_generate(data);
  add_data_import(data);
  add_data_convert(data);
  add_data_verify(data);
  add_data_fetch(data);
}

}  // namespace ordered_gnn::cli
