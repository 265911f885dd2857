#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>

#include "commands/data.h"
#include "core/visible_text.h"
#include "data/class_names.h"
#include "lab/bench/order_bench.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/data/statistics.h"
#include "scale/parts/manifest.h"
#include "shared/column_table.h"
#include "shared/parts_info.h"

namespace ordered_gnn::cli {
namespace {

struct InfoCommand : OutputFlags {
  std::unique_ptr<RunArguments> arguments;
  std::string spec;
  bool reorder = false;
};

std::string homophily_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-";
}

std::string degree_text(const DegreeSummary& degree) {
  return fmt::format("min {}, quartiles {} / {} / {}, max {}, mean {:.2f}",
                     degree.min, degree.quartile1, degree.median,
                     degree.quartile3, degree.max, degree.mean);
}

std::string edges_text(const DatasetStatistics& s) {
  return fmt::format(
      "{} distinct ordered pairs without loops ({} unordered), from {} stored "
      "entries",
      s.num_edges, s.num_undirected_edges, s.num_stored_edges);
}

std::string weights_text(const DatasetStatistics& s) {
  if (!s.edge_weights) return "none";
  return fmt::format("{:.6g} to {:.6g}, mean {:.6g}", s.edge_weights->min,
                     s.edge_weights->max, s.edge_weights->mean);
}

std::string reverse_text(const DatasetStatistics& s) {
  if (!std::isfinite(s.reciprocal_share)) return "there are no edges";
  return fmt::format("{:.3g} % of the edges have their reverse",
                     100 * s.reciprocal_share);
}

std::string labelled_text(const DatasetStatistics& s) {
  if (s.num_labelled == s.num_nodes) return "all nodes";
  return fmt::format(
      "{} nodes; the other {} have no label and are never trained or scored on",
      s.num_labelled, s.num_nodes - s.num_labelled);
}

std::string treatment_text(const Treatment& treatment) {
  return fmt::format(
      "direction {}, self loops {}, features {} unless told otherwise",
      to_string(treatment.direction), to_string(treatment.self_loops),
      to_string(treatment.features));
}

std::string classes_text(const DatasetStatistics& s, const RawDataset& raw) {
  if (raw.class_names.empty()) {
    return fmt::format("{}: {}", s.num_classes, fmt::join(s.class_sizes, " "));
  }
  std::vector<std::string> parts;
  for (size_t c = 0; c < raw.class_names.size(); ++c) {
    parts.push_back(fmt::format("{} {}", raw.class_names[c], s.class_sizes[c]));
  }
  return fmt::format("{}: {}", s.num_classes, fmt::join(parts, ", "));
}

std::string info_text(const DatasetStatistics& s, const RawDataset& raw,
                      double load_seconds) {
  std::string out;
  const auto line = [&out](const char* name, const std::string& value) {
    out += fmt::format("{:<20} {}\n", name, core::visible(value));
  };
  line("name", s.name);
  line("format", raw.provenance.format);
  line("nodes", std::to_string(s.num_nodes));
  line("edges", edges_text(s));
  line("edge weights", weights_text(s));
  line("both ways", reverse_text(s));
  line("self loops", std::to_string(s.num_self_loops));
  line("duplicates",
       fmt::format("{} stored entries repeat another and count "
                   "once{}",
                   s.num_duplicates,
                   s.edge_weights ? ", their weights added" : ""));
  line("features", fmt::format("{} ({:.3g} % not zero)", s.num_features,
                               100 * s.feature_density));
  line("classes", classes_text(s, raw));
  line("labelled", labelled_text(s));
  line("splits", fmt::format("{} ({})", s.num_splits,
                             raw.split_set.empty() ? "none" : raw.split_set));
  line("edge homophily", homophily_text(s.edge_homophily));
  line("node homophily", homophily_text(s.node_homophily));
  line("adjusted homophily", homophily_text(s.adjusted_homophily));
  if (raw.recommended) line("read as", treatment_text(*raw.recommended));
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
  if (!raw.columns.empty()) out += column_table(raw).text();
  for (const std::string& note : raw.provenance.notes) line("note", note);
  line("fingerprint", raw.provenance.fingerprint);
  line("read in", fmt::format("{:.3f} s", load_seconds));
  return out;
}

// The graph as models get it, in every order.
lab::OrderBench orders_of(const RawDataset& raw, const RunOptions& options) {
  return lab::bench_orders(
      prepare(raw, resolve_treatment(options.data.treatment, raw)).graph);
}

std::string orders_text(const lab::OrderBench& bench) {
  std::string out =
      fmt::format("sums over neighbours, {} floats each, {} threads\n",
                  bench.width, num_threads());
  const double before = bench.orders.front().ms_gather;
  for (const lab::OrderTime& time : bench.orders) {
    out += fmt::format("  --reorder {:<8} {:9.3f} ms", to_string(time.order),
                       time.ms_gather);
    if (time.order != NodeOrder::none) {
      out += fmt::format(", {:.2f} times as fast, made in {:.2f} s",
                         before / time.ms_gather, time.seconds_made);
    }
    out += '\n';
  }
  return out;
}

nlohmann::ordered_json orders_json(const lab::OrderBench& bench) {
  auto list = nlohmann::ordered_json::array();
  const double before = bench.orders.front().ms_gather;
  for (const lab::OrderTime& time : bench.orders) {
    list.push_back({{"order", to_string(time.order)},
                    {"ms", time.ms_gather},
                    {"faster", before / time.ms_gather},
                    {"seconds_made", time.seconds_made}});
  }
  return {{"width", bench.width}, {"threads", num_threads()}, {"orders", list}};
}

void run_info(const InfoCommand& command) {
  const RunOptions options = data_options(*command.arguments, command.spec);
  if (scale::is_parts_folder(options.data.data)) {
    if (command.reorder) {
      throw UsageError(
          "--reorder: parts of a graph have an order of their own; ask for the "
          "data that they were made of");
    }
    print_parts_info(options.data.data, command.json);
    return;
  }
  const auto start = std::chrono::steady_clock::now();
  const RawDataset raw = resolve_dataset(options.data);
  const double load_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  const DatasetStatistics statistics = compute_statistics(
      raw, options.data.treatment.direction.value_or(Direction::as_stored));
  if (!command.json) {
    std::cout << info_text(statistics, raw, load_seconds);
    if (command.reorder) std::cout << orders_text(orders_of(raw, options));
    return;
  }
  nlohmann::ordered_json json = statistics;
  json["format"] = raw.provenance.format;
  json["split_set"] = raw.split_set;
  json["files"] = raw.provenance.files;
  json["class_names"] = data::all_class_names(raw.class_names, raw.num_classes);
  json["columns"] = column_list(raw);
  json["notes"] = raw.provenance.notes;
  json["fingerprint"] = raw.provenance.fingerprint;
  json["load_seconds"] = load_seconds;
  if (command.reorder) json["reorder"] = orders_json(orders_of(raw, options));
  std::cout << json.dump(2) << '\n';
}

}  // namespace

void add_data_info(CLI::App& data) {
  auto command = std::make_shared<InfoCommand>();
  CLI::App& sub =
      *data.add_subcommand("info", "Counts, homophily, degrees, splits");
  sub.add_option("DATASET", command->spec, "name, path or synthetic:NAME");
  command->arguments =
      std::make_unique<RunArguments>(sub, std::vector<std::string>{"Data"});
  sub.add_flag("--reorder", command->reorder,
               "also time sums over neighbours in every order that 'ognn train "
               "--reorder' knows");
  add_output_flags(sub, *command, "print one JSON object", kOnlyTheResult);
  add_max_memory(sub);
  sub.footer(
      "Examples:\n"
      "  ognn data info texas\n"
      "  ognn data info --data my_graph.npz --json\n"
      "  ognn data info pubmed --reorder\n"
      "  ognn data info g.parts                      # holds all files against "
      "their checksums\n"
      "  ognn data info 'synthetic:csbm?homophily=0.1'");
  call_on(sub, command, run_info);
}

}  // namespace ordered_gnn::cli
