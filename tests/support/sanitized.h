#pragma once

#if defined(__has_feature)
#define ORDERED_GNN_HAS_FEATURE(name) __has_feature(name)
#else
#define ORDERED_GNN_HAS_FEATURE(name) 0
#endif

namespace ordered_gnn {

/// Whether the address or the thread sanitizer is in this build: they take
/// memory of their own, hold back what is given up, and everything takes
/// several times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    ORDERED_GNN_HAS_FEATURE(address_sanitizer) ||                    \
    ORDERED_GNN_HAS_FEATURE(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

}  // namespace ordered_gnn

#undef ORDERED_GNN_HAS_FEATURE
