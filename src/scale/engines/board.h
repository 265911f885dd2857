#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ordered_gnn::scale {

/// Short texts under names that all ranks can write and read: rank 0 keeps
/// them. For what goes around the engine: who lives, and why one does not.
class Board {
 public:
  virtual ~Board() = default;

  /// All throw Error when rank 0 does not answer in time.
  virtual void write(const std::string& name, const std::string& text) = 0;
  /// Nothing when nobody has written it.
  virtual std::optional<std::string> read(const std::string& name) = 0;
};

/// Where rank 0 is met.
struct MeetingPlace {
  std::string address = "127.0.0.1";
  int port = 0;  ///< of rank 0's board; 0: one that is free
};

}  // namespace ordered_gnn::scale
