// Runs the commands of docs/your-data.md as they stand there, on fewer
// customers and for fewer epochs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/ognn_process.h"
#include "core/affixes.h"
#include "core/io/file.h"
#include "support/errors.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> commands_of(const fs::path& page) {
  std::istringstream text(core::read_file(page));
  std::vector<std::string> commands;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (core::starts_with(line, "```")) {
      inside = line == "```sh";
    } else if (inside) {
      commands.push_back(line);
    }
  }
  return commands;
}

std::string replaced(std::string text, const std::string& from,
                     const std::string& to) {
  const size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

std::string shortened(std::string command) {
  command = replaced(command, "generate customers ",
                     "generate 'customers?customers=400' ");
  command = replaced(command, "ognn train ",
                     "ognn train --epochs 30 --layers 4 --hidden 64 ");
  return replaced(command, "ognn ", std::string(OGNN_BINARY) + " ");
}

std::vector<std::string> rows_in(const fs::path& file) {
  std::istringstream text(core::read_file(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

TEST(YourData, ThePageGoesThroughFromTablesToDecisions) {
  const TempDir dir;
  core::write_file(dir / "new_customers.csv",
                   "customer,plan,age,income,region,joined,last_contact,"
                   "autopay,tickets,satisfaction\n"
                   "new1,basic,31,30000,north,2024-05-01,,yes,2,7\n"
                   "new2,pro,55,,south,2019-02-03,2024-11-30,no,0,\n");
  core::write_file(dir / "new_calls.csv",
                   "source,target\nnew1,c000001\nc000002,new1\nnew2,new1\n");
  const std::vector<std::string> commands =
      commands_of(fs::path(OGNN_SOURCE) / "docs" / "your-data.md");
  ASSERT_EQ(commands.size(), 10u);
  for (const std::string& command : commands) {
    const std::string line =
        "cd '" + dir.path().string() + "' && " + shortened(command);
    EXPECT_EQ(std::system((line + " > out.txt 2> err.txt").c_str()), 0)
        << command << "\n"
        << core::read_file(dir / "err.txt");
  }
  const std::vector<std::string> decisions = rows_in(dir / "decisions.csv");
  EXPECT_EQ(decisions[0], "node,label,prob_no,prob_yes,confidence");
  EXPECT_GT(decisions.size(), 100u);
  const std::vector<std::string> added = rows_in(dir / "new.csv");
  ASSERT_EQ(added.size(), 3u);
  EXPECT_TRUE(core::starts_with(added[1], "new1,"));
  EXPECT_TRUE(contains(core::read_file(dir / "company.html"), "c000001"));
}

}  // namespace
}  // namespace ordered_gnn
