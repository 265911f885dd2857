#include "nn/entries/model_entry.h"

#include <utility>

#include "nn/pass_memory.h"

namespace ordered_gnn::nn {

ModelEntry entry_of(std::string name, std::string summary,
                    decltype(ModelEntry::make) make) {
  ModelEntry entry;
  entry.name = std::move(name);
  entry.summary = std::move(summary);
  entry.make = make;
  entry.prediction_rows = &predicts_in_rounds<6>;
  entry.training_rows = &trains_layers<1, 6>;
  return entry;
}

std::vector<std::string> convolution_reads(
    const std::vector<std::string>& own) {
  std::vector<std::string> names = {"layers", "hidden"};
  names.insert(names.end(), own.begin(), own.end());
  names.insert(names.end(), {"dropout-theta", "l2-theta", "l2-xi"});
  return names;
}

const char* const kPerNode =
    "Has parameters for every node: it predicts on the graph that it was "
    "trained on and on no other.";
const char* const kReadsLabels =
    "Reads the labels of the split's training nodes, never those of others. "
    "Evaluation and prediction tell it all of these; `ognn predict` takes them "
    "from the data and the split that it was trained on.";
const char* const kSteps = "steps of the propagation";

}  // namespace ordered_gnn::nn
