#pragma once
#include <string>

#include "mutations/damage.h"

namespace ordered_gnn::mutations {

/// The entries of an intact `.npz`, by their full names.
Files unpacked(const std::string& archive);

/// An `.npz` of these entries, stored.
std::string packed(const Files& entries);

}  // namespace ordered_gnn::mutations
