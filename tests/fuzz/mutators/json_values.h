#pragma once
#include <nlohmann/json.hpp>

#include "fuzz/mutators/dice.h"

namespace ordered_gnn::fuzz {

/// Changes one value somewhere in the tree, or its key, or takes it away, or
/// puts one there twice.
/// @return false when the tree is too deep to be handled.
bool mutate_json(nlohmann::json& tree, Dice& dice);

}  // namespace ordered_gnn::fuzz
