#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "ordered_gnn/core/non_copyable.h"
#include "scale/engines/board.h"
#include "scale/engines/group.h"

namespace ordered_gnn::scale {

/// Whether this build was made with Gloo; without it what follows throws
/// UsageError.
bool has_gloo();

/// What was thrown is that another rank is gone or does not answer.
class ConnectionLost : public std::exception {
 public:
  explicit ConnectionLost(std::string reason) : reason_(std::move(reason)) {}
  const char* what() const noexcept override { return reason_.c_str(); }

 private:
  const std::string reason_;
};

/// Rank 0's board, open to the others while this lives. Its own rank reaches it
/// by open_board(), too.
class BoardServer : NonCopyable {
 public:
  /// @throws Error when the port is in use.
  explicit BoardServer(const MeetingPlace& place);
  ~BoardServer();
  int port() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A connection to rank 0's board.
/// @param patience  how long to wait for rank 0, now and in every call.
/// @throws Error naming the address when nobody answers in that time.
std::unique_ptr<Board> open_board(const MeetingPlace& place,
                                  std::chrono::milliseconds patience);

struct GlooOptions {
  int64_t rank = 0;
  int64_t size = 1;
  MeetingPlace place;
  /// Network interface to use, such as eth0; empty: the one of the host's name,
  /// or the loopback where rank 0 is met there.
  std::string interface;
  std::chrono::milliseconds patience{60000};  ///< for all ranks to come
};

/// The engine `gloo`: ranks are processes that send bytes over TCP. Its calls
/// throw ConnectionLost.
/// @throws Error when not all ranks come in time.
std::unique_ptr<Group> make_gloo_group(const GlooOptions& options);

}  // namespace ordered_gnn::scale
