#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/report/node_browser.h"
#include "lab/report/table.h"

/// Pages as one HTML file each, from plain structs. A page needs no other file
/// and no network; the same content gives the same bytes. All text is escaped.
namespace ordered_gnn::lab {

/// A number worth a tile of its own.
struct PageFact {
  std::string name;   ///< "test accuracy"
  std::string value;  ///< "87.3 %"
  std::string note;   ///< small print below it; may be empty
};

/// A plot, what to see in it, and the numbers it was made from.
struct PageFigure {
  /// Stem of its files and of its place in the page: lower-case letters, digits
  /// and "-", once in a page.
  std::string name;
  std::string svg;  ///< of plots.h
  std::string caption;
  ReportTable numbers;
};

struct PageTable {
  std::string caption;
  ReportTable table;
  /// Column whose cells open a node in the page's browser; -1: none.
  int node_column = -1;
  /// The number of that node, one per row; empty: it is what the cells say.
  std::vector<int64_t> nodes = {};
};

struct PageSection {
  std::string id;     ///< as PageFigure::name
  std::string title;  ///< also its entry in the navigation
  std::vector<std::string> paragraphs;
  std::vector<PageFact> facts;
  std::vector<PageFigure> figures;
  std::vector<PageTable> tables;
  bool has_browser = false;  ///< Page::nodes is shown here, in one section
};

struct Page {
  std::string title;
  std::string subtitle;
  std::string made_by;  ///< program and version, for the last line
  std::vector<PageSection> sections;
  std::optional<NodeBrowser> nodes;
  /// Most bytes of the page. What is known of nodes is cut to fit, and the page
  /// says so; plots and tables are not.
  int64_t max_bytes = 12000000;
};

/// What every page begins with, to know a file of ours by.
extern const char* const kPageSignature;

/// Rows of a table that a page shows; of longer ones it says what is left out.
constexpr size_t kMostPageRows = 500;

/// The page. Its plots have the page's colour scheme, which the reader may
/// switch, tooltips, and their numbers in a table below.
/// @throws Error for names that are not as above, or doubled, for a plot that
///         is no SVG picture of SvgWriter, and as pack_nodes() does.
std::string html_page(const Page& page);

}  // namespace ordered_gnn::lab
