#pragma once
#include <vector>

#include "lab/sweep/spec.h"

namespace ordered_gnn::lab {

/// What `base` says of the searched options.
Setting base_setting(const SweepSpec& spec);

/// Reads "starts" of a sweep file.
/// @return  in the order of their names.
/// @throws UsageError unless it is an object of objects of searched options
///         with values that fit.
std::vector<Json> parse_starts(const Json& list, const SearchSpace& space);

/// The starts as whole settings, each once; the base is none of them when it is
/// tried anyway. Options that are no longer searched are left out.
std::vector<Setting> start_settings(const SweepSpec& spec);

/// The first `trials` of the starts and of what is drawn around them and, where
/// it is tried, the base.
std::vector<Setting> sample_from_starts(const SweepSpec& spec);

}  // namespace ordered_gnn::lab
