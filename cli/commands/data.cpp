#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>

#include "arguments.h"
#include "commands.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/npz_dataset.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/data/statistics.h"
#include "ordered_gnn/data/synthetic.h"
#include "output_file.h"
#include "table.h"

namespace ordered_gnn::cli {
namespace {

struct DataCommand {
  std::unique_ptr<RunArguments> arguments;
  std::string spec;
  std::string out;
  bool json = false;
  bool force = false;
};

RunOptions data_options(const DataCommand& command) {
  RunOptions options;
  command.arguments->apply(options);
  if (!command.spec.empty()) {
    if (!options.data.data.empty() && options.data.data != command.spec) {
      throw UsageError(fmt::format("two datasets given, '{}' and '{}'",
                                   command.spec, options.data.data));
    }
    options.data.data = command.spec;
  }
  if (options.data.data.empty()) {
    throw UsageError(
        "no dataset given; name one of 'ognn data list', a path, "
        "or synthetic:NAME");
  }
  return options;
}

void run_list(const DataCommand& command) {
  Json list = Json::array();
  std::string text =
      "Named datasets (files looked up in --data-root, "
      "$OGNN_DATA, ./datasets, the user cache):\n";
  for (const NamedDataset& entry : named_datasets()) {
    list.push_back(
        {{"name", entry.name}, {"kind", "named"}, {"summary", entry.summary}});
    text += fmt::format("  {:<14} {}\n", entry.name, entry.summary);
  }
  text += "Generators (synthetic:NAME?key=value&...):\n";
  for (const SyntheticGenerator& entry : synthetic_generators()) {
    Json keys = Json::array();
    for (const SyntheticKey& key : entry.keys) {
      keys.push_back({{"name", key.name},
                      {"default", key.default_value},
                      {"range", key.range},
                      {"help", key.help}});
    }
    list.push_back({{"name", "synthetic:" + entry.name},
                    {"kind", "generator"},
                    {"summary", entry.summary},
                    {"keys", keys}});
    text += fmt::format("  {:<14} {}\n", entry.name, entry.summary);
  }
  std::cout << (command.json ? list.dump(2) + "\n" : text);
}

std::string homophily_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-";
}

std::string degree_text(const DegreeSummary& degree) {
  return fmt::format("min {}, quartiles {} / {} / {}, max {}, mean {:.2f}",
                     degree.min, degree.quartile1, degree.median,
                     degree.quartile3, degree.max, degree.mean);
}

std::string info_text(const DatasetStatistics& s, const RawDataset& raw) {
  std::string out;
  const auto line = [&out](const char* name, const std::string& value) {
    out += fmt::format("{:<20} {}\n", name, value);
  };
  line("name", s.name);
  line("format", raw.provenance.format);
  line("nodes", std::to_string(s.num_nodes));
  line("edges",
       fmt::format("{} distinct ordered pairs without loops", s.num_edges));
  line("self loops", std::to_string(s.num_self_loops));
  line("duplicates", std::to_string(s.num_duplicates));
  line("features", fmt::format("{} ({:.3g} % not zero)", s.num_features,
                               100 * s.feature_density));
  line("classes",
       fmt::format("{}: {}", s.num_classes, fmt::join(s.class_sizes, " ")));
  line("labelled", std::to_string(s.num_labelled));
  line("splits", fmt::format("{} ({})", s.num_splits,
                             raw.split_set.empty() ? "none" : raw.split_set));
  line("edge homophily", homophily_text(s.edge_homophily));
  line("node homophily", homophily_text(s.node_homophily));
  line("adjusted homophily", homophily_text(s.adjusted_homophily));
  line("isolated nodes", std::to_string(s.isolated_nodes));
  line("components", fmt::format("{}, the largest of {} nodes",
                                 s.num_components, s.largest_component));
  line("in-degree", degree_text(s.in_degree));
  line("out-degree", degree_text(s.out_degree));
  for (size_t k = 0; k < s.split_class_sizes.size(); ++k) {
    const SplitClassSizes& split = s.split_class_sizes[k];
    line(fmt::format("split {}", k).c_str(),
         fmt::format("train {} | val {} | test {}", fmt::join(split.train, " "),
                     fmt::join(split.val, " "), fmt::join(split.test, " ")));
  }
  for (const std::string& note : raw.provenance.notes) line("note", note);
  line("fingerprint", raw.provenance.fingerprint);
  return out;
}

void run_info(const DataCommand& command) {
  const RunOptions options = data_options(command);
  const RawDataset raw = resolve_dataset(options.data);
  const std::string& direction = options.data.direction;
  const DatasetStatistics statistics =
      compute_statistics(raw, direction == "auto" ? Direction::as_stored
                                                  : parse_direction(direction));
  if (!command.json) {
    std::cout << info_text(statistics, raw);
    return;
  }
  nlohmann::ordered_json json = statistics;
  json["format"] = raw.provenance.format;
  json["split_set"] = raw.split_set;
  json["files"] = raw.provenance.files;
  json["notes"] = raw.provenance.notes;
  json["fingerprint"] = raw.provenance.fingerprint;
  std::cout << json.dump(2) << '\n';
}

void run_generate(const DataCommand& command) {
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
  options.data = is_synthetic_spec(command.spec) ? command.spec
                                                 : "synthetic:" + command.spec;
  const RawDataset raw = resolve_dataset(options);
  write_npz_dataset(command.out, raw);
  if (command.json) {
    nlohmann::ordered_json json = compute_statistics(raw);
    json["out"] = command.out;
    json["fingerprint"] = raw.provenance.fingerprint;
    std::cout << json.dump(2) << '\n';
  } else {
    std::cout << fmt::format(
        "{}: {} nodes, {} stored edges, {} features, {} "
        "classes, {} splits\n",
        command.out, raw.num_nodes, raw.edges.size(1),
        raw.features.num_features(), raw.num_classes, raw.splits.size());
  }
}

std::string generator_help() {
  std::string text = "Keys of the generators:\n";
  for (const SyntheticGenerator& entry : synthetic_generators()) {
    text += fmt::format("  {}: {}\n", entry.name, entry.summary);
    if (entry.name != "csbm") continue;
    for (const SyntheticKey& key : entry.keys) {
      text += fmt::format("    {:<14} {} ({}, default {})\n", key.name,
                          key.help, key.range, key.default_value);
    }
  }
  return text;
}

}  // namespace

void add_data(CLI::App& app) {
  CLI::App& data =
      *app.add_subcommand("data", "List, describe and generate graphs");
  data.require_subcommand(0, 1);
  data.allow_extras();
  data.callback([&data] {
    refuse_extras(data);
    if (data.get_subcommands().empty()) {
      throw UsageError("say what to do with data: list, info or generate");
    }
  });

  auto list = std::make_shared<DataCommand>();
  CLI::App& list_sub =
      *data.add_subcommand("list", "Named datasets and generators");
  list_sub.allow_extras();
  list_sub.add_flag("--json", list->json, "print an array of objects");
  list_sub.callback([list, &list_sub] {
    refuse_extras(list_sub);
    run_list(*list);
  });

  auto info = std::make_shared<DataCommand>();
  CLI::App& info_sub =
      *data.add_subcommand("info", "Counts, homophily, degrees, splits");
  info_sub.allow_extras();
  info_sub.add_option("DATASET", info->spec, "name, path or synthetic:NAME");
  info->arguments = std::make_unique<RunArguments>(
      info_sub, std::vector<std::string>{"Data"});
  info_sub.add_flag("--json", info->json, "print one JSON object");
  info_sub.footer(
      "Examples:\n"
      "  ognn data info texas\n"
      "  ognn data info --data my_graph.npz --json\n"
      "  ognn data info 'synthetic:csbm?homophily=0.1'");
  info_sub.callback([info, &info_sub] {
    refuse_extras(info_sub);
    run_info(*info);
  });

  auto generate = std::make_shared<DataCommand>();
  CLI::App& generate_sub =
      *data.add_subcommand("generate", "Write a random graph as .npz");
  generate_sub.allow_extras();
  generate_sub.add_option("SPEC", generate->spec,
                          "NAME?key=value&..., 'synthetic:' may go before");
  generate_sub.add_option("--out", generate->out, "file to write")
      ->type_name("FILE");
  generate_sub.add_flag("--force", generate->force,
                        "replace a file that is not ours");
  generate_sub.add_flag("--json", generate->json, "print one JSON object");
  generate_sub.footer(
      generator_help() +
      "Examples:\n"
      "  ognn data generate 'csbm?nodes=10000&homophily=0.2&classes=4' --out "
      "graph.npz\n"
      "  ognn data generate pubmed --out pubmed_shape.npz");
  generate_sub.callback([generate, &generate_sub] {
    refuse_extras(generate_sub);
    run_generate(*generate);
  });
}

}  // namespace ordered_gnn::cli
