#pragma once
#include <string>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

/// Where a result comes from: results of several runs begin with it.
struct ResultOrigin {
  std::string device, math;
  std::string machine;                   ///< what it ran on, in words
  std::string command, version, commit;  ///< that wrote the result
};

/// Its fields under their names.
Json origin_json(const ResultOrigin& origin);

/// @throws Json::exception when one is missing or no text.
ResultOrigin origin_from_json(const Json& json);

}  // namespace ordered_gnn::lab
