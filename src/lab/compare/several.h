#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "lab/compare/result.h"
#include "lab/report/table.h"

namespace ordered_gnn::lab {

/// Comparisons of the same models on several datasets in one table: a row per
/// model as asked for, a column per dataset, in a cell the mean test score ±
/// its standard error in per cent and "best" or "level" where it is that. The
/// heading names the metric, or every column its own where they differ.
ReportTable datasets_table(const std::vector<Comparison>& comparisons);

/// The table and what follows from it, dataset by dataset.
std::string datasets_text(const std::vector<Comparison>& comparisons);
std::string datasets_markdown(const std::vector<Comparison>& comparisons);
/// Everything of every comparison: {"datasets": [...]}.
Json datasets_json(const std::vector<Comparison>& comparisons);

/// Writes compare.json, compare.csv, compare.md and compare.tex.
void write_datasets(const std::vector<Comparison>& comparisons,
                    const std::filesystem::path& folder);

}  // namespace ordered_gnn::lab
