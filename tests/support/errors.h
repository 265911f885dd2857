#pragma once
#include <string>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn {

/// The message of the Error that `call` throws, or "no error".
template <typename Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// True when `text` holds `part`; on failure the assertion shows both.
inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace ordered_gnn
