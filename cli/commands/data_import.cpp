#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "commands/data.h"
#include "data/class_names.h"
#include "data/fingerprint.h"
#include "data/formats/npz/dataset.h"
#include "data/tables/graphml.h"
#include "data/tables/import.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/statistics.h"
#include "shared/column_table.h"
#include "shared/output_file.h"

namespace ordered_gnn::cli {
namespace {

struct ImportCommand : WritingFlags {
  data::ImportOptions options;
  std::string nodes, edges, out, edge_type;
  std::string unknown_nodes = "error";
  std::vector<std::string> columns;
  bool directed = false, undirected = false;
};

void add_asked_kind(const std::string& text, data::ImportOptions& options) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError(fmt::format(
        "--column takes NAME=KIND, such as zip=category, not '{}'", text));
  }
  options.asked[text.substr(0, equals)] =
      data::parse_asked_kind(text.substr(equals + 1));
}

// PyTorch Geometric's files are pickles of its own classes.
void refuse_torch_file(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension();
  if (extension != ".pt" && extension != ".pth") return;
  throw UsageError(fmt::format(
      "{}: a PyTorch file runs code when it is opened, and is not read. Export "
      "the graph from Python (d is the Data object):\n"
      "  import pandas as pd\n"
      "  pd.DataFrame(d.x.numpy()).assign(label=d.y.numpy())"
      ".to_csv('nodes.csv', index_label='id')\n"
      "  pd.DataFrame(d.edge_index.t().numpy(), columns=['source', 'target'])"
      ".to_csv('edges.csv', index=False)\n"
      "and import these: ognn data import --nodes nodes.csv --id id --label "
      "label --edges edges.csv --out g.npz",
      file));
}

data::ImportOptions import_options(const ImportCommand& command) {
  data::ImportOptions options = command.options;
  if (command.nodes.empty()) {
    throw UsageError("no table of nodes given; add --nodes nodes.csv");
  }
  refuse_torch_file(command.nodes);
  refuse_torch_file(command.edges);
  if (command.edges.empty() && !data::is_graphml(command.nodes)) {
    throw UsageError("no edges given; add --edges edges.csv");
  }
  if (!command.edge_type.empty()) {
    throw UsageError(
        "edge types are not supported: every edge counts alike. Leave the "
        "column out to use all edges together, or write one table of edges for "
        "each type and train on one at a time");
  }
  if (command.directed && command.undirected) {
    throw UsageError("--directed and --undirected cannot both be");
  }
  if (command.directed || command.undirected) {
    options.undirected = command.undirected;
  }
  options.nodes = command.nodes;
  options.edges = command.edges;
  if (command.unknown_nodes != "error" && command.unknown_nodes != "skip") {
    throw UsageError(
        fmt::format("--unknown-nodes takes error or skip, not '{}'",
                    command.unknown_nodes));
  }
  options.edge_columns.unknown = command.unknown_nodes == "skip"
                                     ? data::UnknownEnds::skip
                                     : data::UnknownEnds::error;
  for (const std::string& column : command.columns) {
    add_asked_kind(column, options);
  }
  return options;
}

void print_import(const RawDataset& raw) {
  std::cout << column_table(raw).text();
  for (const std::string& note : raw.provenance.notes) {
    std::cout << "note: " << note << '\n';
  }
}

void run_import(const ImportCommand& command) {
  data::ImportOptions options = import_options(command);
  if (command.out.empty()) {
    throw UsageError("no output given; add --out FILE.npz");
  }
  require_writable(command.out, "PK", command.force);
  options.with_features = command.json;  // for its statistics
  RawDataset raw = data::import_tables(options);
  if (!command.json && !command.quiet) print_import(raw);
  data::write_npz_dataset(command.out, raw, npz_compression(command.compress));
  if (command.quiet && !command.json) return;
  if (command.json) {
    raw.provenance.fingerprint = data::content_fingerprint(raw);
    nlohmann::ordered_json json = compute_statistics(raw);
    json["class_names"] =
        data::all_class_names(raw.class_names, raw.num_classes);
    json["columns"] = column_list(raw);
    json["notes"] = raw.provenance.notes;
    json["out"] = command.out;
    json["fingerprint"] = raw.provenance.fingerprint;
    std::cout << json.dump(2) << '\n';
    return;
  }
  std::cout << fmt::format(
      "{}: {} nodes, {} stored edges, {} features, {} "
      "classes\n",
      command.out, raw.num_nodes, raw.edges.size(1), raw.feature_names.size(),
      raw.num_classes);
}

void add_node_options(CLI::App& sub, ImportCommand& command) {
  sub.add_option("--nodes", command.nodes,
                 "table of nodes with a header (comma, semicolon, tab or bar "
                 "between), or a GraphML file")
      ->type_name("FILE");
  sub.add_option("--id", command.options.id, "column that names the nodes")
      ->type_name("COLUMN [the first]");
  sub.add_option("--label", command.options.label,
                 "column to predict; an empty cell is a node without a label")
      ->type_name("COLUMN");
  sub.add_option("--unlabelled", command.options.unlabelled,
                 "a label that means none, beside the empty cell")
      ->type_name("VALUE");
  sub.add_option("--drop", command.options.drop, "columns not to use")
      ->type_name("COLUMN...")
      ->delimiter(',');
  sub.add_option("--column", command.columns,
                 "what a column is: number, category, yes_no, date (date:dmy, "
                 "date:mdy), text; may be given several times")
      ->type_name("NAME=KIND");
}

void add_edge_options(CLI::App& sub, ImportCommand& command) {
  data::EdgeTableOptions& edges = command.options.edge_columns;
  sub.add_option("--edges", command.edges,
                 "table of edges, or a list as SNAP and networkx write them")
      ->type_name("FILE");
  sub.add_option("--source", edges.source, "column an edge begins at")
      ->type_name("COLUMN [the first]");
  sub.add_option("--target", edges.target, "column an edge ends at")
      ->type_name("COLUMN [the second]");
  sub.add_option("--weight", edges.weight, "column of weights, at least 0")
      ->type_name("COLUMN");
  sub.add_option("--edge-type", command.edge_type,
                 "edge types are not supported; says what to do instead")
      ->type_name("COLUMN");
  sub.add_option("--unknown-nodes", command.unknown_nodes,
                 "edges whose end is no node: error, or skip them")
      ->type_name("error|skip");
  sub.add_flag("--undirected", command.undirected, "edges go both ways");
  sub.add_flag("--directed", command.directed, "edges go one way");
}

}  // namespace

void add_data_import(CLI::App& data) {
  auto command = std::make_shared<ImportCommand>();
  CLI::App& sub = *data.add_subcommand(
      "import", "Make a dataset of a table of nodes and a table of edges");
  add_node_options(sub, *command);
  add_edge_options(sub, *command);
  sub.add_option("--name", command->options.name, "name of the dataset")
      ->type_name("NAME");
  sub.add_option("--out", command->out, "file to write")->type_name("FILE.npz");
  add_writing_flags(sub, *command, "say nothing");
  sub.footer(
      "Columns are recognised and shown before anything is written. Numbers\n"
      "are standardised (long-tailed ones by their logarithm), categories get\n"
      "a feature for every frequent value, dates count days and the time of\n"
      "the year, missing values are filled and flagged. The treatment is kept\n"
      "in the dataset and in every model trained on it.\n"
      "Example:\n"
      "  ognn data import --nodes customers.csv --id customer --label churn "
      "--edges calls.csv --source from --target to --out g.npz");
  call_on(sub, command, run_import);
}

}  // namespace ordered_gnn::cli
