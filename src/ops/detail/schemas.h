#pragma once
#include <ATen/core/enum_tag.h>
#include <torch/library.h>
#include <torch/version.h>

#include <regex>
#include <string>
#include <vector>

namespace ordered_gnn::detail {

/// Tags of an op that programs can be traced through: it writes to nothing that
/// its schema does not say, and Python is told the shapes of its results.
inline const std::vector<at::Tag>& traceable() {
#if TORCH_VERSION_MAJOR > 2 || \
    (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 2)
  static const std::vector<at::Tag> tags = {at::Tag::pt2_compliant_tag};
#else
  static const std::vector<at::Tag> tags;
#endif
  return tags;
}

/// Defines the op of a schema "NAME_(...)", which may write over arguments and
/// give them back, and an op NAME of the same arguments that never does: what
/// traces programs takes no op whose results are its arguments.
inline void define_in_place_and_not(torch::Library& m,
                                    const std::string& schema) {
  m.def(schema.c_str());
  const std::string not_in_place = std::regex_replace(
      std::regex_replace(schema, std::regex("\\([a-z]!\\)"), ""),
      std::regex("^([a-z_]+)_\\("), "$1(");
  m.def(not_in_place.c_str(), traceable());
}

}  // namespace ordered_gnn::detail
