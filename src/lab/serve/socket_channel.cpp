#include "lab/serve/socket_channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace ordered_gnn::lab {
namespace {

// How much a client may still send behind the last answer, and for how long.
constexpr size_t kMostLingering = size_t{8} << 20;
constexpr auto kLongestLingering = std::chrono::seconds(1);

bool is_interrupted() {
  return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
}

}  // namespace

bool wait_for_socket(int socket, bool to_write,
                     Channel::Clock::time_point until) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        until - Channel::Clock::now());
    pollfd waited{socket, static_cast<short>(to_write ? POLLOUT : POLLIN), 0};
    const int found =
        ::poll(&waited, 1,
               static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1 << 30)));
    if (found > 0) return true;
    if (found == 0 || !is_interrupted()) return false;
  }
}

void close_politely(int socket) {
  const auto until = Channel::Clock::now() + kLongestLingering;
  ::shutdown(socket, SHUT_WR);
  char unread[4096];
  for (size_t done = 0; done < kMostLingering;) {
    if (!wait_for_socket(socket, false, until)) break;
    const ssize_t size = ::recv(socket, unread, sizeof(unread), MSG_DONTWAIT);
    if (size == 0 || (size < 0 && !is_interrupted())) break;
    done += static_cast<size_t>(std::max<ssize_t>(size, 0));
  }
  ::close(socket);
}

ssize_t SocketChannel::read(char* bytes, size_t size, Clock::time_point until) {
  while (wait_for_socket(socket_, false, until)) {
    const ssize_t read = ::recv(socket_, bytes, size, MSG_DONTWAIT);
    if (read >= 0) return read;
    if (!is_interrupted()) return kFailed;
  }
  return kLate;
}

bool SocketChannel::write(const char* bytes, size_t size,
                          Clock::time_point until) {
  while (size > 0) {
    // Who takes a byte now and then has no more time than others.
    if (Clock::now() >= until) return false;
    const ssize_t sent =
        ::send(socket_, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && !is_interrupted()) return false;
    if (sent < 0 && !wait_for_socket(socket_, true, until)) return false;
    const auto done = static_cast<size_t>(std::max<ssize_t>(sent, 0));
    bytes += done;
    size -= done;
  }
  return true;
}

}  // namespace ordered_gnn::lab
