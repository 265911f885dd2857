#pragma once
// What nearly every source of core/, ops/ and data/ includes. Kept small: a
// precompiled header costs every source its loading time. Sources still include
// what they use, so a build without precompiled headers works.
#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>
