#include "svg_document.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>
#include <stdexcept>

namespace ordered_gnn::lab {
namespace {

class SvgParser {
 public:
  explicit SvgParser(const std::string& text) : text_(text) {}

  std::vector<SvgElement> parse() {
    while (place_ < text_.size()) {
      if (text_[place_] == '<') {
        read_tag();
      } else {
        read_text();
      }
    }
    if (!open_.empty()) refuse("<" + elements_[top()].name + "> is not closed");
    return elements_;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw std::runtime_error("byte " + std::to_string(place_) + ": " + why);
  }

  size_t top() const { return static_cast<size_t>(open_.back()); }

  std::string until(char end) {
    const size_t stop = text_.find(end, place_);
    if (stop == std::string::npos) refuse("unexpected end");
    const std::string out = text_.substr(place_, stop - place_);
    place_ = stop + 1;
    return out;
  }

  std::string word() {
    const size_t begin = place_;
    while (place_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[place_])) != 0 ||
            text_[place_] == '-' || text_[place_] == ':')) {
      ++place_;
    }
    if (place_ == begin) refuse("expected a name");
    return text_.substr(begin, place_ - begin);
  }

  void check_characters(const std::string& text) const {
    static const std::set<std::string> kEntities = {"amp", "lt", "gt", "quot",
                                                    "#39"};
    for (size_t i = 0; i < text.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      if (byte < 0x20 && byte != '\n' && byte != '\t') refuse("control byte");
      if (text[i] == '<') refuse("bare <");
      if (text[i] != '&') continue;
      const size_t end = text.find(';', i);
      if (end == std::string::npos ||
          kEntities.count(text.substr(i + 1, end - i - 1)) == 0) {
        refuse("bare &");
      }
    }
  }

  void read_text() {
    const size_t stop = std::min(text_.find('<', place_), text_.size());
    const std::string text = text_.substr(place_, stop - place_);
    check_characters(text);
    if (!open_.empty()) {
      elements_[top()].text += text;
    } else if (text.find_first_not_of(" \n") != std::string::npos) {
      refuse("text outside of the picture");
    }
    place_ = stop;
  }

  void read_tag() {
    ++place_;
    if (text_[place_] == '/') {
      ++place_;
      const std::string name = until('>');
      if (open_.empty() || elements_[top()].name != name) {
        refuse("</" + name + "> closes nothing");
      }
      open_.pop_back();
      return;
    }
    if (open_.empty() && !elements_.empty()) refuse("a second root");
    SvgElement element;
    element.name = word();
    element.parent = open_.empty() ? -1 : open_.back();
    while (text_[place_] == ' ') {
      ++place_;
      const std::string name = word();
      if (text_.compare(place_, 2, "=\"") != 0) refuse("expected =\"");
      place_ += 2;
      const std::string value = until('"');
      check_characters(value);
      if (!element.attributes.emplace(name, value).second) {
        refuse("attribute " + name + " is there twice");
      }
    }
    elements_.push_back(element);
    open_.push_back(static_cast<int>(elements_.size()) - 1);
    const bool empty = text_[place_] == '/';
    if (empty) {
      ++place_;
      open_.pop_back();
    }
    if (text_[place_++] != '>') refuse("expected >");
  }

  const std::string& text_;
  size_t place_ = 0;
  std::vector<SvgElement> elements_;
  std::vector<int> open_;
};

bool is_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value) &&
         text.find_first_of("xXnNiI") == std::string::npos;
}

std::string broken_number(const SvgElement& element) {
  static const std::set<std::string> kNumbers = {
      "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height"};
  for (const auto& [name, value] : element.attributes) {
    if (kNumbers.count(name) > 0 && !is_number(value)) {
      return name + "=" + value;
    }
    const bool size = name == "width" || name == "height";
    if (size && std::atof(value.c_str()) < 0) return name + "=" + value;
    if (name != "points") continue;
    std::string list = value;
    std::replace(list.begin(), list.end(), ',', ' ');
    std::istringstream words(list);
    for (std::string word; words >> word;) {
      if (!is_number(word)) return "points with " + word;
    }
  }
  return "";
}

bool has_class(const SvgElement& element, const std::string& name) {
  const auto found = element.attributes.find("class");
  if (found == element.attributes.end()) return false;
  std::istringstream words(found->second);
  for (std::string word; words >> word;) {
    if (word == name) return true;
  }
  return false;
}

}  // namespace

double SvgElement::number(const std::string& attribute) const {
  return std::stod(attributes.at(attribute));
}

std::vector<std::pair<double, double>> SvgElement::points() const {
  std::istringstream words(attributes.at("points"));
  std::vector<std::pair<double, double>> out;
  for (std::string word; words >> word;) {
    const size_t comma = word.find(',');
    out.emplace_back(std::stod(word), std::stod(word.substr(comma + 1)));
  }
  return out;
}

std::vector<SvgElement> SvgDocument::with_class(
    const std::string& name, const std::string& element) const {
  std::vector<SvgElement> out;
  for (const SvgElement& each : elements) {
    if (each.name == "g" || each.name == "title") continue;
    if (!element.empty() && each.name != element) continue;
    const bool grouped =
        each.parent >= 0 &&
        has_class(elements[static_cast<size_t>(each.parent)], name);
    if (grouped || has_class(each, name)) out.push_back(each);
  }
  return out;
}

std::vector<std::string> SvgDocument::texts() const {
  std::vector<std::string> out;
  for (const SvgElement& each : elements) {
    if (each.name == "text") out.push_back(each.text);
  }
  return out;
}

bool SvgDocument::has_text(const std::string& text) const {
  const std::vector<std::string> all = texts();
  return std::find(all.begin(), all.end(), text) != all.end();
}

const SvgElement& SvgDocument::text_element(const std::string& text) const {
  for (const SvgElement& each : elements) {
    if (each.name == "text" && each.text == text) return each;
  }
  throw std::runtime_error("no text '" + text + "' in the picture");
}

SvgDocument parse_svg(const std::string& text) {
  SvgDocument out;
  try {
    out.elements = SvgParser(text).parse();
  } catch (const std::exception& error) {
    out.error = error.what();
  }
  return out;
}

::testing::AssertionResult is_valid_svg(const std::string& text) {
  const SvgDocument document = parse_svg(text);
  if (!document.error.empty()) {
    return ::testing::AssertionFailure() << document.error;
  }
  if (document.elements.size() < 4 || document.elements[0].name != "svg" ||
      document.elements[0].attributes.count("viewBox") == 0 ||
      document.elements[1].name != "title" ||
      document.elements[2].name != "desc") {
    return ::testing::AssertionFailure() << "no picture with a title";
  }
  for (const SvgElement& element : document.elements) {
    const std::string broken = broken_number(element);
    if (!broken.empty()) {
      return ::testing::AssertionFailure()
             << "<" << element.name << "> has " << broken;
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace ordered_gnn::lab
