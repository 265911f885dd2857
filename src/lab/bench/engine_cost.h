#pragma once
#include <cstdint>
#include <optional>

namespace ordered_gnn::lab {

/// Seconds of CPU that the engine gloo takes for messages between ranks, both
/// ends together: sockets, its threads, and who waits for them.
struct EngineCost {
  double per_message = 0;
  double per_byte = 0;

  /// Of a rank, which is one end of messages that it sends or receives.
  double of_end(double messages, double bytes) const {
    return 0.5 * (per_message * messages + per_byte * bytes);
  }
};

/// Messages of two sizes between two ranks in this process, over the loopback
/// interface, and nothing else: the line through what they take. Empty where
/// the build has no Gloo.
/// @param messages  each way and of each size; more for steadier numbers.
std::optional<EngineCost> measure_engine(int64_t messages = 512);

}  // namespace ordered_gnn::lab
