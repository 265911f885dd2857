#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ordered_gnn::core {

/// The constructors a pickle may name, each in its oldest spelling.
namespace pickle_constructors {
inline constexpr std::string_view kReconstruct =
    "numpy.core.multiarray _reconstruct";
inline constexpr std::string_view kNdarray = "numpy ndarray";
inline constexpr std::string_view kDtype = "numpy dtype";
inline constexpr std::string_view kCsrMatrix = "scipy.sparse.csr csr_matrix";
inline constexpr std::string_view kDefaultdict = "collections defaultdict";
inline constexpr std::string_view kList = "__builtin__ list";
}  // namespace pickle_constructors

/// Position of the constructor that `module` and `name` spell, the spellings of
/// newer library versions included, or -1 when it is not admitted.
int64_t find_pickle_constructor(std::string_view module, std::string_view name);

/// Its oldest spelling.
std::string_view pickle_constructor_name(int64_t index);

/// All of them, for messages.
std::string admitted_pickle_constructors();

}  // namespace ordered_gnn::core
