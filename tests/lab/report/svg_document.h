#pragma once
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace ordered_gnn::lab {

struct SvgElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  ///< its own, entities as written
  int parent = -1;

  double number(const std::string& attribute) const;
  /// The pairs of a `points` attribute.
  std::vector<std::pair<double, double>> points() const;
};

/// A picture read by a strict parser of the XML that our writer may use.
struct SvgDocument {
  std::vector<SvgElement> elements;
  std::string error;  ///< what is not well-formed; empty when all is

  /// Elements that have the class, or whose group has it; of one name when
  /// given.
  std::vector<SvgElement> with_class(const std::string& name,
                                     const std::string& element = "") const;
  /// Contents of all <text>.
  std::vector<std::string> texts() const;
  bool has_text(const std::string& text) const;
  const SvgElement& text_element(const std::string& text) const;
};

SvgDocument parse_svg(const std::string& text);

/// Whether the text is well-formed, has a viewBox, a title and a description,
/// and no attribute that is not a number where one belongs.
::testing::AssertionResult is_valid_svg(const std::string& text);

/// The plot as `draw` makes it, which must be valid and the same every time.
template <typename Plot>
std::string drawn(std::string (*draw)(const Plot&), const Plot& plot) {
  std::string text = draw(plot);
  EXPECT_TRUE(is_valid_svg(text));
  EXPECT_EQ(text, draw(plot));
  return text;
}

}  // namespace ordered_gnn::lab
