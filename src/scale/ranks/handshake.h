#pragma once
#include <string>

#include "ordered_gnn/train/run_options.h"
#include "scale/engines/group.h"
#include "scale/parts/manifest.h"
#include "scale/ranks/wire.h"

namespace ordered_gnn::scale {

/// What ranks must agree on to give the same bits, by name: the program's
/// version and commit, settings, instruction set, parts.
Json rank_facts(const RunOptions& options, const PartsManifest& manifest,
                Wire wire = Wire::fp32);

/// Ranks compare their facts; all call it first.
/// @throws Error on every rank that names the rank, the fact and both values
///         when one differs from that of rank 0.
void compare_facts(Group& group, const Json& facts);

}  // namespace ordered_gnn::scale
