#include "shared/help_text.h"

#include <algorithm>
#include <memory>
#include <sstream>

#include "core/affixes.h"
#include "lab/report/text_width.h"
#include "shared/command_tree.h"
#include "shared/terminal.h"
#include "shared/wrap.h"

namespace ordered_gnn::cli {
namespace {

constexpr size_t kIndent = 2;
constexpr size_t kTextColumn = 28;   // where descriptions begin
constexpr size_t kNarrowColumn = 6;  // the same where there is little room
constexpr size_t kNarrow = 60;       // columns below which there is

class HelpWriter {
 public:
  explicit HelpWriter(const HelpStyle& style)
      : style_(style),
        column_(style.columns < kNarrow ? kNarrowColumn : kTextColumn) {}

  std::string write(const CLI::App& command) {
    paragraph(command.get_description());
    out_ += "\n" + inked(Ink::heading, "Usage:", style_.coloured) + " " +
            usage_text(command) + "\n";
    words(command);
    for (const OptionGroup& group : option_groups(command)) {
      heading(group.name + ":");
      for (const CLI::Option* option : group.options) {
        entry(names_text(*option), option_values_text(*option),
              option->get_description());
      }
    }
    const auto subcommands = shown_subcommands(command);
    if (!subcommands.empty()) heading("Commands:");
    for (const CLI::App* sub : subcommands) {
      entry(sub->get_name(), "", sub->get_description());
    }
    footer(own_footer(command));
    return out_;
  }

 private:
  void heading(const std::string& text) {
    out_ += "\n" + inked(Ink::heading, text, style_.coloured) + "\n";
  }

  void paragraph(const std::string& text) {
    for (const std::string& line : wrapped(text, style_.columns)) {
      out_ += line + "\n";
    }
  }

  void words(const CLI::App& command) {
    const auto all = positionals(command);
    if (!all.empty()) heading("Words:");
    for (const CLI::Option* word : all) {
      entry(word->get_name(/*positional=*/true), "", word->get_description());
    }
  }

  // "  --name VALUE   description", the description in a column of its own.
  void entry(const std::string& name, const std::string& value,
             const std::string& description) {
    const std::string label = value.empty() ? name : name + " " + value;
    std::vector<std::string> left = wrapped(label, style_.columns - kIndent);
    const size_t used = kIndent + lab::num_characters(left.back());
    for (size_t i = 0; i < left.size(); ++i) {
      if (i == 0) left[i].replace(0, name.size(), ink_name(name));
      out_ += std::string(i == 0 ? kIndent : kNarrowColumn, ' ') + left[i];
      if (i + 1 < left.size()) out_ += "\n";
    }
    const std::vector<std::string> right =
        wrapped(description, style_.columns - column_);
    const bool beside = left.size() == 1 && used + kIndent <= column_;
    for (size_t i = 0; i < right.size(); ++i) {
      const size_t at = i == 0 && beside ? used : 0;
      if (at == 0) out_ += "\n";
      out_ += std::string(column_ - at, ' ') + right[i];
    }
    out_ += "\n";
  }

  std::string ink_name(const std::string& name) const {
    return inked(Ink::name, name, style_.coloured);
  }

  // Lines that end in a colon are headings, indented lines are kept apart,
  // others are running text.
  void footer(const std::string& text) {
    if (text.empty()) return;
    out_ += "\n";
    std::istringstream lines(text);
    std::string running;
    bool commands = false;
    for (std::string line; std::getline(lines, line);) {
      const bool indented = core::starts_with(line, "  ");
      const bool title = !indented && core::ends_with(line, ":");
      if (!indented && !title) {
        running += (running.empty() ? "" : " ") + line;
        if (!core::ends_with(line, ".")) continue;
      }
      paragraph(running);
      running.clear();
      if (title) {
        commands = holds_commands(line);
        out_ += inked(Ink::heading, line, style_.coloured) + "\n";
      }
      if (indented) footer_line(line, commands);
    }
    paragraph(running);
  }

  void footer_line(const std::string& line, bool command) {
    if (command) {
      for (const std::string& part : wrapped_command(line, style_.columns)) {
        out_ += part + "\n";
      }
      return;
    }
    // Further lines begin where the text of the first did.
    const size_t begin = line.find_first_not_of(' ');
    const size_t gap = line.find("  ", begin);
    const size_t text =
        gap == std::string::npos ? begin : line.find_first_not_of(' ', gap);
    std::string lead = line.substr(0, text);
    for (const std::string& part :
         wrapped(line.substr(text), style_.columns - text)) {
      out_ += lead + part + "\n";
      lead.assign(text, ' ');
    }
  }

  const HelpStyle style_;
  const size_t column_;
  std::string out_;
};

class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string /*name*/,
                        CLI::AppFormatMode /*mode*/) const override {
    return help_text(*app, help_style());
  }
};

}  // namespace

HelpStyle help_style() {
  return {text_columns(Stream::out), wants_colours(Stream::out)};
}

std::string help_text(const CLI::App& command, const HelpStyle& style) {
  return HelpWriter(style).write(command);
}

void use_help_text(CLI::App& app) {
  app.formatter(std::make_shared<HelpFormatter>());
}

}  // namespace ordered_gnn::cli
