#pragma once
#include <filesystem>

#include "lab/reproduce/reproduction.h"

namespace ordered_gnn::lab {

/// Whether the folder of timings has the one of this cell.
bool is_timed(const std::filesystem::path& folder, const PlannedCell& cell,
              const ReproductionOptions& options, const BatchOptions& batch);

}  // namespace ordered_gnn::lab
