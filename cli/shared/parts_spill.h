#pragma once
#include <optional>
#include <string>

#include "scale/spill/spill_room.h"
#include "shared/parts_training.h"

namespace ordered_gnn::cli {

/// @throws UsageError for a --memory that is no size, or --spill without it.
void require_spill_words(const PartsArguments& arguments);

/// What --memory and --spill ask for; nothing: no limit.
/// @throws UsageError when several ranks are asked for as well.
std::optional<scale::SpillOptions> spill_options(const PartsTraining& how,
                                                 int64_t ranks);

/// Says what the run will take.
/// @throws Error when the limit is below what it can do with.
void announce_spill(const scale::PartsManifest& manifest,
                    const RunOptions& options, const scale::SpillOptions& spill,
                    bool quiet);

/// What it took.
std::string spilled_text(const scale::SpillRoom& room,
                         const scale::SpillOptions& spill);

}  // namespace ordered_gnn::cli
