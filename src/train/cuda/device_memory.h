#pragma once
#include <c10/util/Exception.h>

#include <cstdint>

namespace ordered_gnn::training {

/// Most memory of the GPU that tensors held at a time, in bytes: since the
/// start, or since reset_device_peak().
int64_t device_peak_bytes();
void reset_device_peak();

/// Memory of the GPU that tensors hold now, in bytes.
int64_t device_bytes();

/// Starts to note what fails, for throw_out_of_memory(). Once is enough.
void watch_device_memory();

/// @throws Error that says how much was asked for, what the run held, what was
///         free, and what to do about it.
[[noreturn]] void throw_out_of_memory();

/// Calls body(); a GPU without enough memory becomes an Error with the sizes.
template <typename Body>
auto with_memory_report(const Body& body) {
  watch_device_memory();
  try {
    return body();
  } catch (const c10::OutOfMemoryError&) {
    throw_out_of_memory();
  }
}

}  // namespace ordered_gnn::training
