#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ordered_gnn/train/run_options.h"
#include "scale/engines/group.h"
#include "scale/parts/manifest.h"
#include "scale/ranks/wire.h"

namespace ordered_gnn::scale {

/// What ranks must agree on to give the same bits, by name: the program's
/// version and commit, settings, instruction set, parts.
/// @param spills  whether memory has a limit: ranks with one fetch rows anew
///                that others keep.
Json rank_facts(const RunOptions& options, const PartsManifest& manifest,
                Wire wire = Wire::fp32, bool spills = false);

/// Ranks compare their facts; all call it first.
/// @throws Error on every rank that names the rank, the fact and both values
///         when one differs from that of rank 0.
void compare_facts(Group& group, const Json& facts);

/// What is wrong with what all ranks have said, rank by rank; empty: nothing.
using Judgement = std::function<std::string(const std::vector<std::string>&)>;

/// Rank 0 judges what all say; all call it.
/// @throws Error on every rank that says the judgement, where it is not empty.
void judge_together(Group& group, const std::string& said,
                    const Judgement& judgement);

/// Ranks tell each other why they cannot take part; all call it.
/// @param objection  empty: there is none.
/// @throws Error on every rank that says the first objection, and whose it is
///         where there are several ranks.
void require_no_objection(Group& group, const std::string& objection);

}  // namespace ordered_gnn::scale
