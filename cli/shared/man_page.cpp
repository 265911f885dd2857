#include "shared/man_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <sstream>

#include "core/affixes.h"
#include "ordered_gnn/version.h"
#include "shared/arguments.h"
#include "shared/command_tree.h"
#include "shared/wrap.h"

namespace ordered_gnn::cli {
namespace {

const char* const kManClosing = R"(.SH EXIT STATUS
0 when all is done, 1 when something failed, 2 for wrong usage, and that of the
signal when one ends the command.
.SH ENVIRONMENT
.TP
.B OGNN_DATA
folder searched for named datasets
.TP
.B OGNN_SIMD
baseline, avx2, avx512, avx512_bf16 or amx: the kernels to use instead of the
best
.TP
.B COLUMNS
width that help is wrapped to
.TP
.BR NO_COLOR ", " CLICOLOR_FORCE
set to something: no colours at all, or colours where no terminal is
.SH SEE ALSO
The folder
.I docs
of the sources.
)";

constexpr size_t kExampleColumns = 72;  // what man indents fits 80

// Text that roff shows as it is.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  const bool command =
      core::starts_with(out, ".") || core::starts_with(out, "'");
  return command ? "\\&" + out : out;
}

std::string bold(const std::string& text) {
  return "\\fB" + roff(text) + "\\fR";
}
std::string italic(const std::string& text) {
  return "\\fI" + roff(text) + "\\fR";
}

std::set<std::string> shared_groups() {
  std::set<std::string> groups;
  for (const Option<RunOptions>& row : run_option_table()) {
    groups.insert(row.spec.group);
  }
  return groups;
}

std::string entry(const std::string& label, const std::string& text) {
  return ".TP\n" + label + "\n" + roff(text) + "\n";
}

std::string option_entry(const CLI::Option& option) {
  const std::string value = option_values_text(option);
  return entry(
      bold(names_text(option)) + (value.empty() ? "" : " " + italic(value)),
      option.get_description());
}

// Examples as they are, the rest as running text.
std::string footer_roff(const std::string& footer) {
  std::string out;
  bool literal = false, commands = false;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    const bool indented = core::starts_with(line, "  ");
    if (indented && !literal) out += ".PP\n.nf\n";
    if (!indented && literal) out += ".fi\n";
    if (!indented && (literal || out.empty())) out += ".PP\n";
    literal = indented;
    if (!indented) commands = holds_commands(line);
    if (!indented || !commands) {
      out += roff(line) + "\n";
      continue;
    }
    for (const std::string& part : wrapped_command(line, kExampleColumns)) {
      out += roff(part) + "\n";
    }
  }
  return literal ? out + ".fi\n" : out;
}

class ManPage {
 public:
  explicit ManPage(const CLI::App& app) : shared_(shared_groups()) {
    out_ = fmt::format(".TH OGNN 1 \"\" \"ognn {}\" \"User Commands\"\n",
                       kVersion);
    out_ += ".SH NAME\nognn \\- node classification with the Ordered GNN\n";
    out_ += ".SH SYNOPSIS\n.B ognn\n.I COMMAND\n[\\fIOPTIONS\\fR]\n";
    out_ += ".SH DESCRIPTION\n" + roff(app.get_description()) + "\n";
    out_ += footer_roff(own_footer(app));
    out_ += ".SH COMMANDS\n";
    for (const CLI::App* sub : shown_subcommands(app)) add(*sub);
    out_ += ".SH SHARED OPTIONS\n";
    out_ +=
        "Every one is also a key of a recipe. What is in brackets is its "
        "default.\n";
    CLI::App scratch;
    const RunArguments all(scratch, {shared_.begin(), shared_.end()});
    for (const OptionGroup& group : option_groups(scratch)) {
      if (shared_.count(group.name) == 0) continue;
      out_ += ".SS " + roff(group.name) + "\n";
      for (const CLI::Option* option : group.options) {
        out_ += option_entry(*option);
      }
    }
    out_ += kManClosing;
  }

  const std::string& text() const { return out_; }

 private:
  void add(const CLI::App& command) {
    out_ += ".SS " + roff(usage_text(command)) + "\n" +
            roff(command.get_description()) + ".\n";
    for (const CLI::Option* word : positionals(command)) {
      out_ += entry(italic(word->get_name(/*positional=*/true)),
                    word->get_description());
    }
    for (const OptionGroup& group : option_groups(command)) add(group);
    out_ += footer_roff(own_footer(command));
    for (const CLI::App* sub : shown_subcommands(command)) add(*sub);
  }

  void add(const OptionGroup& group) {
    std::vector<std::string> names;
    for (const CLI::Option* option : group.options) {
      if (option->get_lnames() == std::vector<std::string>{"help"}) continue;
      if (shared_.count(group.name) == 0) out_ += option_entry(*option);
      names.push_back(bold(names_text(*option)));
    }
    if (shared_.count(group.name) == 0) return;
    out_ += fmt::format(".PP\n{}, described below: {}\n", roff(group.name),
                        fmt::join(names, ", "));
  }

  const std::set<std::string> shared_;
  std::string out_;
};

}  // namespace

std::string man_page(const CLI::App& app) { return ManPage(app).text(); }

}  // namespace ordered_gnn::cli
