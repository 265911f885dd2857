#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "cli/ognn_process.h"
#include "lab/report/text_width.h"
#include "ordered_gnn/train/run_options.h"
#include "shared/wrap.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

// A variable of the environment for as long as the object lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    ::setenv(name, value, /*overwrite=*/1);
  }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Help, BooleansShowTheirDefault) {
  const std::string help = run_ognn({"train", "--help"}).out;
  for (const Option<RunOptions>& row : run_option_table()) {
    if (row.spec.kind != OptionKind::flag) continue;
    const std::string shown = "--" + row.spec.name + " true|false [" +
                              value_text(row.get(RunOptions{})) + "]";
    EXPECT_TRUE(contains(help, shown)) << shown;
  }
  EXPECT_FALSE(contains(help, "=true"));
}

TEST(Help, IsWrappedToTheColumns) {
  for (const char* columns : {"60", "80", "120"}) {
    const Variable width("COLUMNS", columns);
    for (const std::vector<std::string>& call :
         {std::vector<std::string>{"train", "--help"},
          {"sweep", "--help"},
          {"reproduce", "--help"},
          {"data", "generate", "--help"},
          {"--help"}}) {
      for (const std::string& line : lines_of(run_ognn(call).out)) {
        // Nothing to break at.
        if (line.find(' ', line.find_first_not_of(' ')) == std::string::npos) {
          continue;
        }
        EXPECT_LE(lab::num_characters(line), std::stoul(columns)) << line;
      }
    }
  }
}

TEST(Help, IsOfEightyColumnsWhereNobodySaysMore) {
  size_t longest = 0;
  for (const std::string& line : lines_of(run_ognn({"train", "--help"}).out)) {
    longest = std::max(longest, lab::num_characters(line));
  }
  EXPECT_LE(longest, 80u);
  EXPECT_GT(longest, 70u);
}

TEST(Help, ACommandShowsTheHelpOfOthers) {
  EXPECT_EQ(run_ognn({"help"}).out, run_ognn({"--help"}).out);
  EXPECT_EQ(run_ognn({"help", "train"}).out, run_ognn({"train", "--help"}).out);
  const Outcome info = run_ognn({"help", "data", "info"});
  EXPECT_EQ(info.status, 0) << info.err;
  EXPECT_EQ(info.out, run_ognn({"data", "info", "--help"}).out);
  EXPECT_TRUE(contains(info.out, "ognn data info [OPTIONS] [DATASET]"));
  const Outcome wrong = run_ognn({"help", "trian"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(contains(wrong.err, "did you mean 'train'")) << wrong.err;
  const Outcome deep = run_ognn({"help", "train", "x"});
  EXPECT_EQ(deep.status, 2);
  EXPECT_TRUE(contains(deep.err, "no commands of its own")) << deep.err;
  EXPECT_EQ(run_ognn({"help", "train", "--man"}).status, 2);
}

TEST(Help, ACommandOfSubcommandsDoesNotRepeatTheFirstSteps) {
  EXPECT_TRUE(contains(run_ognn({"--help"}).out, "Start here:"));
  EXPECT_FALSE(contains(run_ognn({"data", "--help"}).out, "Start here:"));
}

TEST(Help, TheManualPageSaysAllOptionsOnce) {
  const Outcome man = run_ognn({"help", "--man"});
  ASSERT_EQ(man.status, 0) << man.err;
  EXPECT_EQ(man.out.rfind(".TH OGNN 1", 0), 0u);
  for (const Option<RunOptions>& row : run_option_table()) {
    std::string name = "\\fB\\-\\-";
    for (const char c : row.spec.name)
      name += c == '-' ? "\\-" : std::string(1, c);
    // With its value it is described; without one it is only named.
    EXPECT_TRUE(contains(man.out, name + "\\fR \\fI")) << name;
  }
  for (const unsigned char c : man.out) ASSERT_LT(c, 0x80);
  for (const std::string& line : lines_of(man.out)) {
    const bool request = line.rfind('.', 0) == 0;
    if (!request) continue;
    EXPECT_NE(std::string(".TH.SH.SS.TP.PP.nf.fi.B.I.BR")
                  .find(line.substr(0, line.find(' '))),
              std::string::npos)
        << line;
  }
}

TEST(Colours, AreForTerminalsAndThoseWhoForceThem) {
  EXPECT_FALSE(contains(run_ognn({"--help"}).out, "\033"));
  EXPECT_FALSE(contains(run_ognn({"nothing"}).err, "\033"));
  const Variable forced("CLICOLOR_FORCE", "1");
  EXPECT_TRUE(contains(run_ognn({"--help"}).out, "\033[1mUsage:\033[0m"));
  EXPECT_TRUE(
      contains(run_ognn({"nothing"}).err, "\033[1;31mognn:\033[0m unknown"));
  const Variable none("NO_COLOR", "1");
  EXPECT_FALSE(contains(run_ognn({"--help"}).out, "\033"));
}

TEST(Wrap, BreaksAtBlanksAndLongWordsBehindABar) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(cli::wrapped("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(cli::wrapped("ab|cd|ef gh", 6), (Lines{"ab|cd|", "ef gh"}));
  EXPECT_EQ(cli::wrapped("unbreakable", 4), (Lines{"unbreakable"}));
  EXPECT_EQ(cli::wrapped("a ± b", 5), (Lines{"a ± b"}));
  EXPECT_TRUE(cli::wrapped("", 5).empty());
}

TEST(Wrap, ABrokenCommandIsStillOne) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(cli::wrapped_command("  ognn train --out x", 14),
            (Lines{"  ognn train \\", "      --out x"}));
  EXPECT_EQ(cli::wrapped_command("  ognn 'a b c d e f'", 12),
            (Lines{"  ognn \\", "      'a b c d e f'"}));
  EXPECT_EQ(cli::wrapped_command("  ognn demo    three models", 20),
            (Lines{"  ognn demo", "      three models"}));
  EXPECT_EQ(cli::wrapped_command("  ognn demo    short", 40),
            (Lines{"  ognn demo    short"}));
}

}  // namespace
}  // namespace ordered_gnn
