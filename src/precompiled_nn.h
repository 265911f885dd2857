#pragma once
// The LibTorch parts that nn/, train/ and experiment/ use, see
// precompiled_base.h.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/types.h>

#include <nlohmann/json.hpp>
