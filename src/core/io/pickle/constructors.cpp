#include "core/io/pickle/constructors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace ordered_gnn::core {
namespace {

using namespace pickle_constructors;

constexpr std::array<std::string_view, 6> kNames = {
    kReconstruct, kNdarray, kDtype, kCsrMatrix, kDefaultdict, kList};

struct Respelling {
  std::string_view now;
  std::string_view before;
};

// NumPy 2, SciPy 1.8 and Python 3 have moved their modules.
constexpr std::array<Respelling, 3> kRespellings = {{
    {"numpy._core.multiarray _reconstruct", kReconstruct},
    {"scipy.sparse._csr csr_matrix", kCsrMatrix},
    {"builtins list", kList},
}};

}  // namespace

int64_t find_pickle_constructor(std::string_view module,
                                std::string_view name) {
  const std::string full = fmt::format("{} {}", module, name);
  std::string_view wanted = full;
  for (const Respelling& respelling : kRespellings) {
    if (respelling.now == full) wanted = respelling.before;
  }
  const auto found = std::find(kNames.begin(), kNames.end(), wanted);
  return found == kNames.end() ? -1 : found - kNames.begin();
}

std::string_view pickle_constructor_name(int64_t index) {
  return kNames.at(static_cast<size_t>(index));
}

std::string admitted_pickle_constructors() {
  return fmt::format("{}", fmt::join(kNames, ", "));
}

}  // namespace ordered_gnn::core
