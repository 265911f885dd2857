#include "ordered_gnn/nn/models.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "arguments.h"
#include "commands.h"

namespace ordered_gnn::cli {

void add_models(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  CLI::App& sub = *app.add_subcommand("models", "List the models");
  sub.allow_extras();
  sub.add_flag("--json", *json, "print an array of objects");
  sub.footer("Example:\n  ognn models --json");
  sub.callback([json, &sub] {
    refuse_extras(sub);
    Json list = Json::array();
    std::string text;
    for (const ModelEntry& entry : model_table()) {
      list.push_back({{"name", entry.name}, {"summary", entry.summary}});
      text += fmt::format("{:<12}  {}\n", entry.name, entry.summary);
    }
    if (*json) {
      std::cout << list.dump(2) << '\n';
    } else {
      std::cout << text;
    }
  });
}

}  // namespace ordered_gnn::cli
