#include "data/class_names.h"

namespace ordered_gnn::data {

std::vector<std::string> all_class_names(std::vector<std::string> names,
                                         int64_t count) {
  for (auto c = static_cast<int64_t>(names.size()); c < count; ++c) {
    names.push_back(std::to_string(c));
  }
  names.resize(static_cast<size_t>(count));
  return names;
}

}  // namespace ordered_gnn::data
