#include "shared/status_line.h"

#include <sstream>

#include "core/visible_text.h"
#include "lab/report/text_width.h"
#include "shared/speech.h"
#include "shared/terminal.h"

namespace ordered_gnn::cli {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kPlainLine = std::chrono::seconds(5);

}  // namespace

StatusLine::StatusLine(bool quiet)
    : quiet_(quiet),
      terminal_(is_terminal(Stream::err)),
      last_(std::chrono::steady_clock::now()) {}

StatusLine::~StatusLine() { clear(); }

void StatusLine::clear() {
  if (shown_lines_ > 0) draw("\r\033[K");
  for (; shown_lines_ > 1; --shown_lines_) draw("\033[A\033[K");
  shown_lines_ = 0;
}

size_t StatusLine::columns() const {
  return terminal_ ? terminal_columns(Stream::err) : 0;
}

bool StatusLine::due() const {
  if (quiet_) return false;
  const auto passed = std::chrono::steady_clock::now() - last_;
  return terminal_ ? passed >= kRedraw : passed >= kPlainLine;
}

void StatusLine::show(const std::string& text) {
  if (!due()) return;
  if (terminal_) {
    clear();
    std::istringstream lines(text);
    // A line that wraps could not be redrawn.
    for (std::string line; std::getline(lines, line); ++shown_lines_) {
      draw((shown_lines_ > 0 ? "\n" : "") +
           cut_to(core::visible(line), columns()));
    }
  } else {
    say(text);
  }
  last_ = std::chrono::steady_clock::now();
}

void StatusLine::print(const std::string& text) {
  if (quiet_) return;
  clear();
  say(text);
}

std::string fitted_line(const std::string& name,
                        const std::vector<std::string>& forms, size_t columns) {
  constexpr size_t kLeastName = 12;
  const size_t length = lab::num_characters(name);
  for (const std::string& form : forms) {
    const size_t used = lab::num_characters(form);
    if (columns == 0 || used + length <= columns) return name + form;
    const bool leaves_room = used + kLeastName <= columns;
    if (length > kLeastName && leaves_room) {
      return cut_to(name, columns - used - 1) + "…" + form;
    }
  }
  return cut_to(forms.back(), columns);
}

std::string cut_to(const std::string& text, size_t columns) {
  if (columns == 0) return text;
  size_t used = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool starts_character =
        (static_cast<unsigned char>(text[i]) & 0xc0u) != 0x80u;
    if (starts_character && used++ == columns) return text.substr(0, i);
  }
  return text;
}

}  // namespace ordered_gnn::cli
