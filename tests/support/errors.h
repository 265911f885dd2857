#pragma once
#include <gtest/gtest.h>

#include <string>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn {

/// The message of the Error that `call` throws; empty when it throws none.
template <typename Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Whether `text` holds `part`; a failed assertion shows both.
inline ::testing::AssertionResult contains(const std::string& text,
                                           const std::string& part) {
  if (text.find(part) != std::string::npos) {
    return ::testing::AssertionSuccess()
           << "'" << part << "' in '" << text << "'";
  }
  return ::testing::AssertionFailure()
         << "no '" << part << "' in '" << text << "'";
}

}  // namespace ordered_gnn
