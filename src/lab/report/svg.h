#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ordered_gnn::lab {

/// A place in a picture; x grows to the right, y downwards.
struct SvgPoint {
  double x = 0;
  double y = 0;
};

struct SvgRect {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

enum class TextAnchor { start, middle, end };

struct SvgTextStyle {
  TextAnchor anchor = TextAnchor::start;
  /// Classes of the style sheet, see SvgWriter.
  std::string_view classes = "";
  /// Degrees, clockwise around the text's place.
  double turn = 0;
};

/// What a picture is called and how large it is, in pixels.
struct SvgPicture {
  double width = 640;
  double height = 400;
  /// Read out by screen readers and shown as a tooltip.
  std::string title;
  std::string description;
};

/// Text for the content or a quoted attribute of XML: & < > " and ' become
/// entities, control characters that XML forbids and broken UTF-8 become
/// U+FFFD.
std::string xml_escaped(std::string_view text);

/// At most two digits after the point and no trailing zeros: "12.5", "3", "0".
/// @throws Error for NaN and infinity, which SVG has no text for.
std::string svg_number(double value);

/// Colours of series; a series beyond them starts again from the first.
constexpr int kPaletteSize = 8;

/// Shades of a sequential scale, from faint to strong.
constexpr int kNumShades = 9;

/// Shapes of marks, so that series differ without colour.
constexpr int kNumMarks = 6;

/// Writes an SVG 1.1 picture element by element, as one string that depends on
/// the calls alone. The picture needs no other file and has no identifiers, so
/// several can stand in one HTML page.
///
/// Colours come from one embedded style sheet with a light and a dark scheme,
/// chosen by the reader's system; its classes all start with `og-`:
///
///   og-sI      series I: stroke and fill of palette entry I (0..7)
///   og-qI      shade I: stroke and fill of the sequential scale (0..8)
///   og-line, og-thin, og-many   lines of series, from strong to faint
///   og-dash    interrupted          og-faint, og-best   others and the best
///   og-area    translucent          og-bar, og-box      without, with an edge
///   og-hover   seen under the pointer alone
///   og-mark    edged like the background, og-hollow filled like it
///   og-axis, og-grid, og-whisker, og-slim, og-error, og-median   lines
///   og-outlier   lines of no length, as dots
///   og-title, og-label, og-tick, og-note   text, from large to small
///   og-halo    text that stays readable on lines
///   og-on-faint, og-on-strong   text on the faint and the strong shades
///   og-panel   the background of a panel
///
/// The palette is that of Okabe and Ito, which readers with any of the common
/// colour vision deficiencies can tell apart.
class SvgWriter {
 public:
  /// @throws Error unless width and height are finite and above 0.
  explicit SvgWriter(const SvgPicture& picture);

  void line(SvgPoint from, SvgPoint to, std::string_view classes);
  /// Nothing is written for fewer than two points.
  void polyline(const std::vector<SvgPoint>& points, std::string_view classes);
  void polygon(const std::vector<SvgPoint>& points, std::string_view classes);
  /// @param tooltip  shown when the pointer rests on it; none when empty.
  void rect(const SvgRect& rect, std::string_view classes,
            std::string_view tooltip = "");
  /// A mark of about 8 pixels: circle, square, triangle, diamond, inverted
  /// triangle, cross; shapes start again after the last.
  void mark(SvgPoint centre, int shape, std::string_view classes,
            std::string_view tooltip = "");
  /// `at` is on the base line of the text.
  void text(SvgPoint at, std::string_view text, const SvgTextStyle& style = {});
  void begin_group(std::string_view classes);
  void end_group();

  /// The whole picture. Open groups are closed; the writer is used up.
  std::string finish();

 private:
  std::string out_;
  int open_groups_ = 0;
};

}  // namespace ordered_gnn::lab
