#include <fmt/format.h>

#include "lab/page/run_pages.h"
#include "lab/reproduce/depths.h"
#include "lab/reproduce/experiment.h"

namespace ordered_gnn::lab {
namespace {

void add_table(PageSection& section, const std::string& caption,
               const ReportTable& table) {
  if (!table.rows().empty()) section.tables.push_back({caption, table, -1});
}

PageSection experiment_section(const ExperimentResult& result) {
  PageSection section;
  section.id = result.name;
  section.title = result.title;
  if (result.quick) section.paragraphs.push_back(quick_label());
  for (const std::string& note : result.notes) {
    section.paragraphs.push_back(note);
  }
  const ExperimentReport& report = report_of(result);
  const ReportTable numbers = report.comparison(result);
  for (const NamedPlot& plot : report.plots(result)) {
    section.figures.push_back({std::filesystem::path(plot.file).stem().string(),
                               plot.svg, "", numbers});
  }
  add_table(section, "Ours and the paper's", numbers);
  add_table(section, "Ours and an independent run", measured_table(result));
  add_table(section, "Compared run by run", paired_table(result));
  if (report.over_depth) {
    add_table(section, "Over depth", depth_table(result));
  }
  return section;
}

}  // namespace

Page reproduction_page(const std::filesystem::path& folder) {
  const FolderResults results = read_results(folder);
  Page page = empty_page("The paper's experiments",
                         "Our numbers beside the published ones");
  for (const ExperimentResult& result : results.experiments) {
    page.sections.push_back(experiment_section(result));
  }
  if (!results.problems.empty()) {
    PageSection section;
    section.id = "problems";
    section.title = "Not used";
    section.paragraphs = results.problems;
    page.sections.push_back(section);
  }
  return page;
}

}  // namespace ordered_gnn::lab
