#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/io/text/csv_writer.h"
#include "ordered_gnn/explain/node_table.h"

namespace ordered_gnn::cli {

/// What is said of nodes. Tensors and `parts` are by node, on the CPU.
struct PredictedNodes {
  std::vector<std::string> classes;     ///< names of all C
  std::vector<std::string> node_names;  ///< empty: nodes are numbers
  at::Tensor probabilities;             ///< [N, C] float32
  at::Tensor labels;                    ///< [N] int64, the most probable class
  at::Tensor known;             ///< [N] int64, -1 = unlabelled; of the data
  std::vector<NodePart> parts;  ///< of the split trained on; empty: not known
  std::vector<int64_t> rows;    ///< nodes to speak of, in this order
};

/// Columns behind node, label and probabilities.
enum class ExtraColumn {
  known,       ///< known_label: of the data, empty for an unlabelled node
  part,        ///< part: train, val, test or none; empty when not known
  confidence,  ///< confidence: the probability of the most probable class
};

/// @throws UsageError unless `text` is a list of known, part and confidence,
///         each once.
std::vector<ExtraColumn> parse_extra_columns(const std::string& text);

struct PredictionLayout {
  /// 0: a column prob_CLASS for every class. K: columns class_1, prob_1, ...,
  /// class_K, prob_K, the most probable first.
  int64_t top = 0;
  double min_confidence = 0;  ///< below it the label is left empty
  core::FormulaText formulas = core::FormulaText::guarded;
  std::vector<ExtraColumn> extra;
};

/// How files of write_predictions() begin.
const std::vector<std::string>& prediction_signatures();

/// @throws UsageError when there are fewer classes than `top`.
void require_classes(const PredictionLayout& layout, int64_t num_classes);

/// The classes of a row by falling probability, the first `count` of them; of
/// equals the first.
/// @param row  [num_classes].  @param count  at most num_classes.
std::vector<int64_t> likeliest(const float* row, int64_t num_classes,
                               int64_t count);

struct WrittenPredictions {
  int64_t withheld = 0;  ///< rows whose label was left empty
  int64_t guarded = 0;   ///< cells, see core::FormulaText
};

/// Writes node,label,... as the layout says: a line per row, probabilities with
/// seven digits. Lines are made on all threads; the bytes do not depend on how
/// many there are.
/// @throws UsageError as require_classes() does.
WrittenPredictions write_predictions(const std::filesystem::path& file,
                                     const PredictedNodes& nodes,
                                     const PredictionLayout& layout);

/// The name of a node, its number where it has none.
std::string node_name(const PredictedNodes& nodes, int64_t node);

}  // namespace ordered_gnn::cli
