#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/io/text/csv_writer.h"
#include "lab/page/explained_model.h"
#include "lab/report/page.h"

namespace ordered_gnn::lab {

/// The sections of a page about a trained model: summary, training, hops,
/// gates, scores, depth, which columns matter and nodes. What does not apply to
/// a model is left out or says so in a sentence. docs/explain.md defines every
/// number.
std::vector<PageSection> explanation_sections(const ExplainedModel& model);

/// What the node browser of its page knows; not of a graph in parts.
NodeBrowser explanation_browser(const ExplainedModel& model);

/// The whole page.
Page explanation_page(const ExplainedModel& model);

/// What write_figures() wrote.
struct WrittenFigures {
  std::vector<std::string> names;
  int64_t num_guarded = 0;  ///< cells, see core::FormulaText
};

/// Writes FOLDER/NAME.svg and FOLDER/NAME.csv for every figure of the sections;
/// the folder is made where needed.
/// @throws Error naming what cannot be written.
WrittenFigures write_figures(
    const std::vector<PageSection>& sections,
    const std::filesystem::path& folder,
    core::FormulaText formulas = core::FormulaText::guarded);

}  // namespace ordered_gnn::lab
