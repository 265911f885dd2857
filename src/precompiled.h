#pragma once
// Headers that nearly every source includes and none of ours change. Sources
// still include what they use: a build without the precompiled header works.
#include <fmt/format.h>
#include <torch/torch.h>

#include <nlohmann/json.hpp>
