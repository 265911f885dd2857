#pragma once
#include <string>
#include <vector>

#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::nn {

/// The table of models in parts, in its order: the paper's network, its
/// ablations and the perceptron it starts from, and then other networks.
std::vector<ModelEntry> own_models();
std::vector<ModelEntry> simple_models();
std::vector<ModelEntry> deep_models();
std::vector<ModelEntry> heterophily_models();

/// An entry that says no more than this, with the memory of a network whose
/// rounds of messages hold few rows.
ModelEntry entry_of(std::string name, std::string summary,
                    decltype(ModelEntry::make) make);

/// The layers of a convolutional network and what its own convolutions need.
std::vector<std::string> convolution_reads(
    const std::vector<std::string>& own = {});

/// ModelEntry::remarks of models with parameters of nodes, and of those that
/// are told labels; what --hops is to a propagation.
extern const char* const kPerNode;
extern const char* const kReadsLabels;
extern const char* const kSteps;

}  // namespace ordered_gnn::nn
