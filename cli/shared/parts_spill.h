#pragma once
#include <optional>
#include <string>

#include "scale/spill/spill_room.h"
#include "shared/parts_training.h"

namespace ordered_gnn::cli {

/// @throws UsageError for a --memory that is no size, or --spill without it.
void require_spill_words(const PartsArguments& arguments);

/// What --memory and --spill ask for; nothing: no limit.
/// @throws UsageError when a GPU is asked for as well.
std::optional<scale::SpillOptions> spill_options(const PartsTraining& how,
                                                 Device device);

/// @param ranks  processes that have the limit each.
/// @throws Error when it is below what one of them can do with.
void require_spill(const scale::PartsManifest& manifest,
                   const RunOptions& options, const scale::SpillOptions& spill,
                   int64_t ranks);

/// Says what rank 0 will take.
void announce_spill(const scale::PartsManifest& manifest,
                    const RunOptions& options, const scale::SpillOptions& spill,
                    int64_t ranks);

/// What rank 0 took.
std::string spilled_text(const scale::SpillRoom& room,
                         const scale::SpillOptions& spill, int64_t ranks);

}  // namespace ordered_gnn::cli
