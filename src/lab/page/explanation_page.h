#pragma once
#include <filesystem>
#include <vector>

#include "lab/page/explained_model.h"
#include "lab/report/page.h"

namespace ordered_gnn::lab {

/// The sections of a page about a trained model: summary, training, hops,
/// gates, scores, depth, which columns matter and nodes. What does not apply to
/// a model is left out or says so in a sentence. docs/explain.md defines every
/// number.
std::vector<PageSection> explanation_sections(const ExplainedModel& model);

/// What the node browser of its page knows.
NodeBrowser explanation_browser(const ExplainedModel& model);

/// The whole page.
Page explanation_page(const ExplainedModel& model);

/// Writes FOLDER/NAME.svg and FOLDER/NAME.csv for every figure of the sections;
/// the folder is made where needed.
/// @return the names.
/// @throws Error naming what cannot be written.
std::vector<std::string> write_figures(const std::vector<PageSection>& sections,
                                       const std::filesystem::path& folder);

}  // namespace ordered_gnn::lab
