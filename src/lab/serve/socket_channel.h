#pragma once
#include "lab/serve/channel.h"

namespace ordered_gnn::lab {

/// Waits until a socket can be read from, or written to.
/// @return false when the time is over first.
bool wait_for_socket(int socket, bool to_write,
                     Channel::Clock::time_point until);

/// Ends a connection so that what was written last arrives: bytes that nobody
/// has read would make the system take it back. Closes the socket.
void close_politely(int socket);

/// A socket without anything around it, which stays open.
class SocketChannel : public Channel {
 public:
  explicit SocketChannel(int socket) : socket_(socket) {}
  ssize_t read(char* bytes, size_t size, Clock::time_point until) override;
  bool write(const char* bytes, size_t size, Clock::time_point until) override;

 private:
  int socket_;
};

}  // namespace ordered_gnn::lab
