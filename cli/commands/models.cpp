#include "ordered_gnn/nn/models.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "commands.h"
#include "shared/arguments.h"

namespace ordered_gnn::cli {

namespace {

std::string defaults_text(const Json& defaults) {
  std::string text;
  for (const auto& [name, value] : defaults.items()) {
    text += fmt::format(
        " --{} {}", name,
        value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

void run_models(bool json) {
  Json list = Json::array();
  std::string text;
  for (const ModelEntry& entry : model_table()) {
    list.push_back({{"name", entry.name},
                    {"summary", entry.summary},
                    {"defaults", entry.defaults}});
    text += fmt::format("{:<12}  {}\n", entry.name, entry.summary);
    if (!entry.defaults.empty()) {
      text += fmt::format("{:<12} {}\n", "", defaults_text(entry.defaults));
    }
  }
  std::cout << (json ? list.dump(2) + "\n" : text);
}

}  // namespace

void add_models(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  CLI::App& sub = *app.add_subcommand(
      "models", "List the models and what they change in the defaults");
  sub.allow_extras();
  sub.add_flag("--json", *json, "print an array of objects");
  sub.footer(
      "Options given in a recipe or on the command line win over the defaults "
      "of a model.\nExample:\n  ognn models --json");
  sub.callback([json, &sub] {
    refuse_extras(sub);
    run_models(*json);
  });
}

}  // namespace ordered_gnn::cli
