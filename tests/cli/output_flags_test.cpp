// Every command takes --json and --quiet, so that a script need not know which.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "cli/ognn_process.h"
#include "support/errors.h"

namespace ordered_gnn {
namespace {

// Commands that take neither, and why.
const std::map<std::string, std::string> kExempt = {
    {"help", "its output is a text to read, or the manual page"},
    {"completion", "its output is a script"}};

// Names below "Commands:" in a help text.
std::vector<std::string> commands_in(const std::string& help) {
  std::vector<std::string> names;
  std::istringstream lines(
      help.substr(std::min(help.size(), help.find("\nCommands:\n") + 11)));
  if (!contains(help, "\nCommands:\n")) return names;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    if (line.size() > 2 && line[2] != ' ') {
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return names;
}

// All commands that do something; those that only hold others are left out.
std::vector<std::vector<std::string>> leaves(std::vector<std::string> path) {
  std::vector<std::string> call = path;
  call.emplace_back("--help");
  const std::string help = run_ognn(call).out;
  const std::vector<std::string> names = commands_in(help);
  std::vector<std::vector<std::string>> found;
  // 'ognn reproduce' does something itself and holds a command.
  if (names.empty() || contains(help, "--out")) found.push_back(path);
  for (const std::string& name : names) {
    path.push_back(name);
    for (auto& leaf : leaves(path)) found.push_back(std::move(leaf));
    path.pop_back();
  }
  return found;
}

TEST(OutputFlags, EveryCommandTakesJsonAndQuiet) {
  size_t checked = 0;
  for (const std::vector<std::string>& command : leaves({})) {
    if (command.empty() || kExempt.count(command[0]) != 0) continue;
    std::vector<std::string> call = command;
    call.emplace_back("--help");
    const std::string help = run_ognn(call).out;
    const std::string name = command[0] + " " + command.back();
    EXPECT_TRUE(contains(help, "\n  --json ")) << name;
    EXPECT_TRUE(contains(help, "\n  --quiet ")) << name;
    ++checked;
  }
  // train, predict, evaluate, explain, report, sweep, compare, models, demo,
  // bench epoch, reproduce, reproduce report, and those of data.
  EXPECT_GE(checked, 18u);
}

}  // namespace
}  // namespace ordered_gnn
