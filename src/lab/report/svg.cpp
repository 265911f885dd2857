#include "lab/report/svg.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/names.h"
#include "lab/report/style_sheet.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

std::string class_attribute(std::string_view classes) {
  if (classes.empty()) return "";
  return fmt::format(" class=\"{}\"", xml_escaped(classes));
}

std::string point_list(const std::vector<SvgPoint>& points) {
  std::string out;
  for (const SvgPoint& point : points) {
    if (!out.empty()) out += ' ';
    out += svg_number(point.x) + ',' + svg_number(point.y);
  }
  return out;
}

// The end of a shape, with the tooltip as its content when there is one.
std::string closing(const char* element, std::string_view tooltip) {
  if (tooltip.empty()) return "/>\n";
  return fmt::format("><title>{}</title></{}>\n", xml_escaped(tooltip),
                     element);
}

const char* anchor_attribute(TextAnchor anchor) {
  return core::word_of(anchor, {{TextAnchor::middle, " text-anchor=\"middle\""},
                                {TextAnchor::end, " text-anchor=\"end\""},
                                {TextAnchor::start, ""}});
}

// Outlines of marks around their centre; they look equally large.
const std::vector<SvgPoint>& outline(int shape) {
  static const std::array<std::vector<SvgPoint>, kNumMarks - 1> outlines = {{
      {{-3.6, -3.6}, {3.6, -3.6}, {3.6, 3.6}, {-3.6, 3.6}},
      {{0, -4.8}, {4.6, 3.4}, {-4.6, 3.4}},
      {{0, -5.2}, {5.2, 0}, {0, 5.2}, {-5.2, 0}},
      {{0, 4.8}, {4.6, -3.4}, {-4.6, -3.4}},
      {{-4.5, -1.6},
       {-1.6, -1.6},
       {-1.6, -4.5},
       {1.6, -4.5},
       {1.6, -1.6},
       {4.5, -1.6},
       {4.5, 1.6},
       {1.6, 1.6},
       {1.6, 4.5},
       {-1.6, 4.5},
       {-1.6, 1.6},
       {-4.5, 1.6}},
  }};
  return outlines[static_cast<size_t>(shape - 1)];
}

}  // namespace

SvgWriter::SvgWriter(const SvgPicture& picture) {
  if (!std::isfinite(picture.width) || !std::isfinite(picture.height) ||
      picture.width <= 0 || picture.height <= 0) {
    fail("a picture of {} x {} pixels cannot be drawn", picture.width,
         picture.height);
  }
  const std::string width = svg_number(picture.width);
  const std::string height = svg_number(picture.height);
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"og-plot\" role=\"img\""
      " width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
      "<title>{2}</title>\n<desc>{3}</desc>\n<style>{4}</style>\n",
      width, height, xml_escaped(picture.title),
      xml_escaped(picture.description), style_sheet());
  rect({0, 0, picture.width, picture.height}, "og-back");
}

void SvgWriter::line(SvgPoint from, SvgPoint to, std::string_view classes) {
  out_ += fmt::format("<line{} x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n",
                      class_attribute(classes), svg_number(from.x),
                      svg_number(from.y), svg_number(to.x), svg_number(to.y));
}

void SvgWriter::polyline(const std::vector<SvgPoint>& points,
                         std::string_view classes) {
  if (points.size() < 2) return;
  out_ += fmt::format("<polyline{} points=\"{}\"/>\n", class_attribute(classes),
                      point_list(points));
}

void SvgWriter::polygon(const std::vector<SvgPoint>& points,
                        std::string_view classes) {
  if (points.size() < 2) return;
  out_ += fmt::format("<polygon{} points=\"{}\"/>\n", class_attribute(classes),
                      point_list(points));
}

void SvgWriter::rect(const SvgRect& rect, std::string_view classes,
                     std::string_view tooltip) {
  out_ += fmt::format("<rect{} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}",
                      class_attribute(classes), svg_number(rect.x),
                      svg_number(rect.y), svg_number(rect.width),
                      svg_number(rect.height), closing("rect", tooltip));
}

void SvgWriter::mark(SvgPoint centre, int shape, std::string_view classes,
                     std::string_view tooltip) {
  const int kind = ((shape % kNumMarks) + kNumMarks) % kNumMarks;
  if (kind == 0) {
    out_ += fmt::format("<circle{} cx=\"{}\" cy=\"{}\" r=\"4\"{}",
                        class_attribute(classes), svg_number(centre.x),
                        svg_number(centre.y), closing("circle", tooltip));
    return;
  }
  std::vector<SvgPoint> points = outline(kind);
  for (SvgPoint& point : points) {
    point = {centre.x + point.x, centre.y + point.y};
  }
  out_ += fmt::format("<polygon{} points=\"{}\"{}", class_attribute(classes),
                      point_list(points), closing("polygon", tooltip));
}

void SvgWriter::text(SvgPoint at, std::string_view text,
                     const SvgTextStyle& style) {
  const std::string x = svg_number(at.x), y = svg_number(at.y);
  std::string turn;
  if (style.turn != 0) {
    turn = fmt::format(" transform=\"rotate({} {} {})\"",
                       svg_number(style.turn), x, y);
  }
  out_ += fmt::format("<text{} x=\"{}\" y=\"{}\"{}{}>{}</text>\n",
                      class_attribute(style.classes), x, y,
                      anchor_attribute(style.anchor), turn, xml_escaped(text));
}

void SvgWriter::begin_group(std::string_view classes) {
  out_ += fmt::format("<g{}>\n", class_attribute(classes));
  ++open_groups_;
}

void SvgWriter::end_group() {
  if (open_groups_ == 0) fail("there is no group to end in this picture");
  out_ += "</g>\n";
  --open_groups_;
}

std::string SvgWriter::finish() {
  while (open_groups_ > 0) end_group();
  out_ += "</svg>\n";
  return std::move(out_);
}

}  // namespace ordered_gnn::lab
