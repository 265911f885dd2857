#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "commands/data.h"
#include "data/generators/synthetic.h"
#include "ordered_gnn/data/registry.h"

namespace ordered_gnn::cli {
namespace {

struct ListCommand : OutputFlags {};

void run_list(bool json) {
  Json list = Json::array();
  std::string text =
      "Named datasets (files looked up in --data-root, "
      "$OGNN_DATA, ./datasets, the user cache):\n";
  for (const NamedDataset& entry : named_datasets()) {
    list.push_back(
        {{"name", entry.name}, {"kind", "named"}, {"summary", entry.summary}});
    text += fmt::format("  {:<27} {}\n", entry.name, entry.summary);
  }
  text += "Generators (synthetic:NAME?key=value&...):\n";
  for (const data::SyntheticGenerator& entry : data::synthetic_generators()) {
    Json keys = Json::array();
    for (const OptionSpec& key : entry.keys) {
      keys.push_back({{"name", key.name},
                      {"default", value_text(entry.defaults.at(key.name))},
                      {"range", describe_values(key)},
                      {"help", key.help}});
    }
    list.push_back({{"name", "synthetic:" + entry.name},
                    {"kind", "generator"},
                    {"summary", entry.summary},
                    {"keys", keys}});
    text += fmt::format("  {:<27} {}\n", entry.name, entry.summary);
  }
  std::cout << (json ? list.dump(2) + "\n" : text);
}

}  // namespace

void add_data_list(CLI::App& data) {
  auto command = std::make_shared<ListCommand>();
  CLI::App& sub = *data.add_subcommand("list", "Named datasets and generators");
  add_output_flags(sub, *command, "print an array of objects", kOnlyTheResult);
  call_on(sub, command, [](const ListCommand& list) { run_list(list.json); });
}

}  // namespace ordered_gnn::cli
