#include "shared/wrap.h"

#include <algorithm>

#include "lab/report/text_width.h"

namespace ordered_gnn::cli {
namespace {

constexpr const char* kFurtherLine = "    ";
constexpr const char* kGap = "   ";  // between a command and the note on it

// The words between blanks; blanks in single quotes belong to the word.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (const char c : text) {
    if (c == '\'') quoted = !quoted;
    if (c != ' ' || quoted) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

// Words of a command, an option together with its value.
std::vector<std::string> command_words(const std::string& text) {
  std::vector<std::string> out;
  bool option = false;
  for (std::string& word : words_of(text)) {
    const bool value = option && word.front() != '-';
    option = word.front() == '-';
    if (value) {
      out.back() += " " + word;
    } else {
      out.push_back(std::move(word));
    }
  }
  return out;
}

// The most of `word` that ends in a '|' and fits, or all of it.
size_t breakable(const std::string& word, size_t columns) {
  if (word.size() <= columns) return word.size();
  const size_t bar = word.rfind('|', columns > 0 ? columns - 1 : 0);
  return bar == std::string::npos ? word.size() : bar + 1;
}

// Words on lines of at most `columns`, lines but the last ending in `tail`.
std::vector<std::string> filled(const std::vector<std::string>& words,
                                size_t columns, const std::string& tail,
                                const std::string& indent) {
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& word : words) {
    const bool last = &word == &words.back();
    const size_t room = columns - std::min(columns, last ? 0 : tail.size());
    const std::string longer = line.empty() ? word : line + " " + word;
    if (line.empty() || lab::num_characters(longer) <= room) {
      line = longer;
      continue;
    }
    lines.push_back(line + tail);
    line = indent + word;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace

std::vector<std::string> wrapped(const std::string& text, size_t columns) {
  std::vector<std::string> words;
  std::string word;
  const auto put = [&] {
    while (!word.empty()) {
      const size_t length = breakable(word, columns);
      words.push_back(word.substr(0, length));
      word.erase(0, length);
    }
  };
  for (const char c : text) {
    if (c == ' ') {
      put();
    } else {
      word += c;
    }
  }
  put();
  return filled(words, columns, "", "");
}

std::vector<std::string> wrapped_command(const std::string& line,
                                         size_t columns) {
  if (lab::num_characters(line) <= columns) return {line};
  const size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos) return {""};
  const std::string indent = line.substr(0, begin);
  const size_t gap = line.find(kGap, begin);
  const size_t note =
      gap == std::string::npos ? gap : line.find_first_not_of(' ', gap);
  std::vector<std::string> words =
      command_words(line.substr(begin, gap - begin));
  if (words.empty()) return {line};
  words.front() = indent + words.front();
  std::vector<std::string> lines =
      filled(words, columns, " \\", indent + kFurtherLine);
  if (note == std::string::npos) return lines;
  const std::string deeper = indent + kFurtherLine;
  for (const std::string& part :
       wrapped(line.substr(note), columns - std::min(columns, deeper.size()))) {
    lines.push_back(deeper + part);
  }
  return lines;
}

}  // namespace ordered_gnn::cli
