#include "data/generators/synthetic.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "core/affixes.h"
#include "core/io/text/text.h"
#include "core/names.h"
#include "data/generators/csbm.h"
#include "data/generators/customers.h"
#include "data/generators/shaped_graph.h"
#include "data/generators/small_world.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

constexpr std::string_view kScheme = "synthetic:";
constexpr const char* kBlockModel = "csbm";
constexpr const char* kSmallWorld = "small_world";
constexpr const char* kCustomers = "customers";

struct Setting {
  std::string key;
  std::string value;
};

std::vector<Setting> parse_settings(std::string_view text) {
  std::vector<Setting> settings;
  if (text.empty()) return settings;
  for (const std::string_view field : core::split_fields(text, '&')) {
    const size_t equals = field.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw UsageError(fmt::format("expected key=value, got '{}'", field));
    }
    settings.push_back({std::string(field.substr(0, equals)),
                        std::string(field.substr(equals + 1))});
  }
  return settings;
}

template <typename T>
T parse_options(const std::vector<Option<T>>& table,
                const std::vector<Setting>& settings) {
  T options;
  std::set<std::string> seen;
  for (const Setting& setting : settings) {
    const Option<T>& row = find_option(table, "key", setting.key);
    if (!seen.insert(row.spec.name).second) {
      throw UsageError(fmt::format("{} is given twice", row.spec.name));
    }
    row.set(options, parse_option(row.spec, setting.value));
  }
  return options;
}

template <typename T>
SyntheticGenerator described(std::string name, std::string summary,
                             const std::vector<Option<T>>& table) {
  SyntheticGenerator generator{std::move(name), std::move(summary), {}, {}};
  for (const Option<T>& row : table) generator.keys.push_back(row.spec);
  generator.defaults = to_json(table, T{});
  return generator;
}

struct Spec {
  std::string name;
  std::vector<Setting> settings;
};

// "NAME" or "NAME?key=value&...".
Spec parse_spec(const std::string& text) {
  const size_t question = text.find('?');
  return {text.substr(0, question),
          parse_settings(question == std::string::npos
                             ? ""
                             : std::string_view(text).substr(question + 1))};
}

RawDataset generate(const std::string& name,
                    const std::vector<Setting>& settings) {
  if (name == kCustomers) {
    throw UsageError(
        "customers are tables: 'ognn data generate customers --out FOLDER' "
        "writes them, 'ognn data import' makes a dataset of them");
  }
  if (name == kBlockModel) {
    return generate_csbm(parse_options(csbm_option_table(), settings));
  }
  if (name == kSmallWorld) {
    return generate_small_world(
        parse_options(small_world_option_table(), settings));
  }
  for (const GraphShape& shape : paper_shapes()) {
    if (shape.name == name) {
      return generate_shaped_graph(
          shape, parse_options(shaped_graph_option_table(), settings));
    }
  }
  std::vector<std::string> known;
  for (const SyntheticGenerator& generator : synthetic_generators()) {
    known.push_back(generator.name);
  }
  throw UsageError(core::unknown_name_message("generator", name, known));
}

}  // namespace

const std::vector<SyntheticGenerator>& synthetic_generators() {
  static const std::vector<SyntheticGenerator> generators = [] {
    std::vector<SyntheticGenerator> all;
    all.push_back(described(kBlockModel, "contextual stochastic block model",
                            csbm_option_table()));
    all.push_back(described(kSmallWorld,
                            "nodes on a ring, joined to those next to them",
                            small_world_option_table()));
    all.push_back(described(kCustomers,
                            "two tables, of customers and of their calls, for "
                            "'ognn data import'",
                            customer_option_table()));
    for (const GraphShape& shape : paper_shapes()) {
      all.push_back(
          described(shape.name,
                    fmt::format("random graph of the size of {}: {} nodes, "
                                "{} {} edges, {} features",
                                shape.name, shape.nodes, shape.edges,
                                shape.directed ? "directed" : "undirected",
                                shape.features),
                    shaped_graph_option_table()));
    }
    return all;
  }();
  return generators;
}

std::optional<CustomerOptions> parse_customers(const std::string& spec) {
  const Spec parsed = parse_spec(spec);
  if (parsed.name != kCustomers) return std::nullopt;
  return parse_options(customer_option_table(), parsed.settings);
}

std::optional<CsbmOptions> parse_csbm(const std::string& spec) {
  const Spec parsed =
      parse_spec(is_synthetic_spec(spec) ? spec.substr(kScheme.size()) : spec);
  if (parsed.name != kBlockModel) return std::nullopt;
  return parse_options(csbm_option_table(), parsed.settings);
}

std::optional<SmallWorldOptions> parse_small_world(const std::string& spec) {
  const Spec parsed =
      parse_spec(is_synthetic_spec(spec) ? spec.substr(kScheme.size()) : spec);
  if (parsed.name != kSmallWorld) return std::nullopt;
  return parse_options(small_world_option_table(), parsed.settings);
}

bool is_synthetic_spec(const std::string& spec) {
  return core::starts_with(spec, kScheme);
}

RawDataset generate_synthetic(const std::string& spec) {
  if (!is_synthetic_spec(spec)) {
    throw UsageError(fmt::format(
        "'{}': expected synthetic:NAME or synthetic:NAME?key=value&key=value",
        spec));
  }
  try {
    const Spec parsed = parse_spec(spec.substr(kScheme.size()));
    RawDataset raw = generate(parsed.name, parsed.settings);
    raw.provenance.notes.push_back("generated by " + spec);
    return raw;
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("'{}': {}", spec, error.what()));
  }
}

}  // namespace ordered_gnn::data
