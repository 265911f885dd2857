#include "lab/page/demo_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/page/explained_run.h"
#include "lab/page/explanation_page.h"
#include "lab/page/figures.h"
#include "lab/page/run_pages.h"

namespace ordered_gnn::lab {
namespace {

constexpr const char* kShownSystem = "Ordered GNN";

// Names in the order in which they first come.
template <typename Name>
std::vector<std::string> distinct(const std::vector<DemoCell>& cells,
                                  const Name& name) {
  std::vector<std::string> out;
  for (const DemoCell& cell : cells) {
    if (std::count(out.begin(), out.end(), name(cell)) == 0) {
      out.push_back(name(cell));
    }
  }
  return out;
}

PageFigure accuracy_figure(const std::vector<DemoCell>& cells) {
  BarPlot plot;
  plot.frame.title = "Test accuracy";
  plot.frame.width = 520;
  plot.frame.height = 340;
  plot.x_title = "graph";
  plot.y = {"test accuracy, %", AxisScale::linear, 0, 100};
  plot.groups = distinct(cells, [](const DemoCell& c) { return c.graph; });
  std::vector<std::string> header = {"test accuracy, %"};
  header.insert(header.end(), plot.groups.begin(), plot.groups.end());
  ReportTable numbers(header);
  for (const std::string& system :
       distinct(cells, [](const DemoCell& c) { return c.system; })) {
    BarSeries series{system, std::vector<double>(plot.groups.size(), kMissing),
                     std::vector<double>(plot.groups.size(), kMissing)};
    std::vector<std::string> row(plot.groups.size() + 1);
    row[0] = system;
    for (const DemoCell& cell : cells) {
      if (cell.system != system) continue;
      const auto g = static_cast<size_t>(
          std::find(plot.groups.begin(), plot.groups.end(), cell.graph) -
          plot.groups.begin());
      series.values[g] = 100 * cell.test_mean;
      series.errors[g] = 100 * cell.test_std;
      row[g + 1] = fmt::format("{} ± {}", percent_text(cell.test_mean),
                               percent_text(cell.test_std));
    }
    plot.series.push_back(std::move(series));
    numbers.add(std::move(row));
  }
  return {"demo-accuracy", bar_plot(plot),
          "Mean over the splits; bars: deviation. On the one graph the "
          "neighbours carry the signal, on the other the node's own features "
          "do.",
          numbers};
}

}  // namespace

Page demo_page(const std::vector<DemoCell>& cells) {
  Page page = empty_page("Ordered GNN, a demonstration",
                         "Three models on two generated graphs");
  PageSection section;
  section.id = "demo";
  section.title = "Demonstration";
  section.figures = {accuracy_figure(cells)};
  std::vector<NodeGroup> groups;
  ExplainedModel last;
  ExplainOptions options;
  options.listed_nodes = true;
  for (const DemoCell& cell : cells) {
    if (cell.system != kShownSystem) continue;
    last =
        explained_run(cell.folder / "split-0" / "model.safetensors", options);
    last.dataset = cell.graph + " graph";
    groups.push_back(last.graph.all);
    groups.back().name = cell.graph;
  }
  if (groups.empty()) fail("the demonstration has no run of {}", kShownSystem);
  section.figures.push_back(hop_figure(
      groups,
      {"demo-hops", "Hop shares of the Ordered GNN", "graph",
       "The same model, trained on two graphs: where neighbours disagree it "
       "leaves more neurons to the node itself."},
      groups[0].hop_shares.size()));
  section.tables = {{"", section.figures[0].numbers, -1}};
  page.sections = {section};
  std::vector<PageSection> sections = explanation_sections(last);
  sections[0].paragraphs = {fmt::format(
      "From here on the Ordered GNN on the {}, first split.", last.dataset)};
  page.sections.insert(page.sections.end(), sections.begin(), sections.end());
  page.nodes = explanation_browser(last);
  return page;
}

}  // namespace ordered_gnn::lab
