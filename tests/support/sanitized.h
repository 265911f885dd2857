#pragma once

namespace ordered_gnn {

/// Whether the address sanitizer is in this build: it holds back memory that is
/// given up, and everything takes several times as long.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

}  // namespace ordered_gnn
