#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace ordered_gnn {

/// Folder of the publishers' files, or an empty path.
inline std::filesystem::path real_data() {
  const char* const root = std::getenv("OGNN_DATA");
  return root == nullptr ? "" : root;
}

}  // namespace ordered_gnn

/// Ends the test with the reason where the publishers' files are not at hand.
#define ORDERED_GNN_NEEDS_REAL_DATA()     \
  if (::ordered_gnn::real_data().empty()) \
  GTEST_SKIP() << "OGNN_DATA is not set: the benchmark files are not here"
