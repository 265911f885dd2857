#pragma once
#include <c10/util/Exception.h>

#include <new>
#include <string>

namespace ordered_gnn::core {

/// Whether LibTorch failed because it could get no memory of the machine.
bool is_out_of_memory(const c10::Error& error);

/// @throws Error "out of memory while ACTIVITY (1.2 GB in use, 30.0 MB is
///         free); ...".
[[noreturn]] void fail_out_of_memory(const std::string& activity);

/// Calls body(). Memory that cannot be had, whoever asked for it, becomes an
/// Error that says what was being done: that of the innermost of these calls.
/// @param activity  "training split 3 of 'texas'".
template <typename Body>
auto naming_activity(const std::string& activity, const Body& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    fail_out_of_memory(activity);
  } catch (const c10::Error& error) {
    if (!is_out_of_memory(error)) throw;
    fail_out_of_memory(activity);
  }
}

}  // namespace ordered_gnn::core
