#pragma once
#include <ATen/core/Tensor.h>

#include <string>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/nn/model.h"

namespace ordered_gnn::training {

/// Whether the text has the form of TrainOptions::class_weights; which classes
/// there are it does not know.
/// @throws UsageError that shows the form.
void check_class_weights(const std::string& text);

/// The weights of the classes, see TrainOptions::class_weights.
/// @param known  the labelled training nodes.
/// @return [C] float32 where the labels are; undefined for "none". A class
///         without training nodes has the weight 1 in "balanced".
/// @throws UsageError for a class that the data does not have, naming the
///         nearest one, and for one that is given twice.
at::Tensor class_weights(const std::string& text, const NodeDataset& data,
                         const KnownLabels& known);

}  // namespace ordered_gnn::training
