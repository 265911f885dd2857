#pragma once
#include <ATen/core/enum_tag.h>
#include <torch/library.h>
#include <torch/version.h>

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

/// A schema "NAME_(...)" without the marks of arguments that are written over,
/// "(a!)", and without the '_'. By hand: the library is loaded beside others
/// that bring a C++ library of their own, and one's regular expressions may
/// meet the other's tables.
inline std::string not_in_place(std::string schema) {
  const std::string mark = "(a!)";
  for (size_t end = schema.find("!)"); end != std::string::npos;
       end = schema.find("!)")) {
    schema.erase(end + 2 - mark.size(), mark.size());
  }
  return schema.erase(schema.find('(') - 1, 1);
}

/// Defines the op of a schema "NAME_(...)", which may write over arguments and
/// give them back, and an op NAME of the same arguments that never does: what
/// traces programs takes no op whose results are its arguments.
inline void define_in_place_and_not(torch::Library& m,
                                    const std::string& schema) {
  m.def(schema.c_str());
  m.def(not_in_place(schema).c_str(), traceable());
}

}  // namespace ordered_gnn::detail
