#pragma once
#include <cstdint>
#include <string>

#include "ordered_gnn/train/calibration.h"
#include "shared/checkpoint_arguments.h"

namespace ordered_gnn::cli {

/// What `--calibrate` does: the temperature that fits the validation part of
/// the split that the model was trained on, which is read and predicted anew
/// where `made` is not of that split and data.
/// @param made   what the model says of loaded.data.
/// @param split  the split whose training labels it was told.
/// @throws UsageError for an ensemble of other splits, see require_one_split();
///         Error when the data of the training cannot be found, has changed, or
///         has no labelled node in that part.
Temperature validation_temperature(const LoadedCheckpoint& loaded,
                                   const Prediction& made, int64_t split);

/// "temperature 1.83, fitted on 32 validation nodes of split 0 (log loss 0.5912
/// -> 0.5310)", or why it stays 1.
std::string temperature_text(const Temperature& temperature, int64_t split);

/// temperature, nodes, split, is_fitted, loss_before, loss_after.
Json to_json(const Temperature& temperature, int64_t split);

}  // namespace ordered_gnn::cli
