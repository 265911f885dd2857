#pragma once
#include <filesystem>
#include <memory>

#include "data/graph_source.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/data/loaders.h"

namespace ordered_gnn::data {

/// Reads the folder of an OGB node-property dataset. Files are comma-separated
/// without header, plain or gzipped:
///   raw/num-node-list.csv, raw/num-edge-list.csv  one number each: N, E
///   raw/edge.csv        E lines FROM,TO: directed edges as stored
///   raw/node-feat.csv   N lines of F finite numbers, kept dense
///   raw/node-label.csv  N lines: a class, also written as "3.0", or "nan" for
///                       an unlabelled node; classes are 0 .. largest label
///   raw/node_year.csv   N lines of a year; needed for `year_classes` only
///   raw/edge-feat.csv   not read, with a note
///   split/NAME/train.csv, valid.csv, test.csv  node numbers, one a line
///
/// The split sets are the folders in split/, in order of name; "auto" is the
/// first (with a note when there are more). With `options.year_classes` = n the
/// labels are the years cut at their quantiles 1/n .. (n-1)/n (linear
/// interpolation, a year equal to a cut goes to the upper class), and "auto"
/// is the split set "arxiv-year": `arxiv-year-splits.npy`, see
/// split_dictionaries.h, in `options.split_folders`, then in the folder, beside
/// it, or in a folder `arxiv-year` beside it.
///
/// @throws Error naming every file that is missing; for counts that differ from
///         num-node-list and num-edge-list, naming both files; else as
///         "file:line: why". UsageError for an unknown split set.
RawDataset load_ogb(const std::filesystem::path& folder,
                    const LoadOptions& options = {});

/// The same piece by piece. What edges and features have wrong shows when they
/// are walked.
std::unique_ptr<GraphSource> open_ogb(const std::filesystem::path& folder,
                                      const LoadOptions& options);

/// True when the folder has `raw/num-node-list.csv` or `raw/node-label.csv`.
bool is_ogb_folder(const std::filesystem::path& folder);

}  // namespace ordered_gnn::data
