#pragma once
#include <cstdlib>
#include <string>

namespace ordered_gnn {

/// A Python that can import `module`: the one found first, or the system's,
/// which has what scripts/install-deps installs. Empty when neither can.
inline std::string python_with(const std::string& module) {
  for (const char* const python : {"python3", "/usr/bin/python3"}) {
    const std::string call =
        std::string(python) + " -c 'import " + module + "' > /dev/null 2>&1";
    // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread runs here.
    if (std::system(call.c_str()) == 0) return python;
  }
  return "";
}

}  // namespace ordered_gnn
