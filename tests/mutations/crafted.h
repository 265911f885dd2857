#pragma once
#include <functional>
#include <string>
#include <vector>

#include "mutations/damage.h"

namespace ordered_gnn::mutations {

/// A file that somebody made on purpose.
struct Crafted {
  std::string subject;                  ///< whose sample it is put into
  std::string name;                     ///< what is special about it
  std::function<void(Files&)> replace;  ///< changes the sample
};

/// JSON of many levels wherever JSON is read, numbers beyond what they count in
/// the metadata of checkpoints and training states, headers of many tensors,
/// text that unpacks to gigabytes, and names of parts that lead out of their
/// folder.
/// @param samples  intact files by the names of their subjects.
std::vector<Crafted> crafted_cases(const std::map<std::string, Files>& samples);

}  // namespace ordered_gnn::mutations
