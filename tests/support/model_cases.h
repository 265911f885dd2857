#pragma once
#include <ostream>
#include <string>
#include <vector>

#include "ordered_gnn/nn/models.h"

namespace ordered_gnn {

/// A model of the table at a size that suits exhaustive checks.
struct ModelCase {
  std::string name;   ///< of the test: the model's, with a suffix for variants
  std::string model;  ///< of the table
  ModelOptions options;
};

/// Every entry of the table of models with the defaults of its paper but small
/// sizes, and variants of those with switches of their own. A new entry is in
/// here by itself.
std::vector<ModelCase> model_cases();

/// Those of them that have parameters to learn.
std::vector<ModelCase> learning_cases();

/// Makes it three layers in chunks of 4 columns behind an input of two layers,
/// with dropout everywhere: small, and nothing of the model is left out.
void set_small_network(OrderedGnnOptions& options, int64_t hidden);

/// Failures name the case instead of its bytes.
void PrintTo(const ModelCase& model, std::ostream* out);

}  // namespace ordered_gnn
