#include "lab/browser/http_call.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

// A connection that closes itself.
struct Connection {
  explicit Connection(int port) : socket(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    timeval most{60, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
    if (::connect(socket, reinterpret_cast<sockaddr*>(&address),
                  sizeof(address)) != 0) {
      ::close(socket);
      fail("nobody listens on port {}", port);
    }
  }
  ~Connection() { ::close(socket); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int socket;
};

size_t content_length(std::string head) {
  std::transform(head.begin(), head.end(), head.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const std::string name = "content-length:";
  const size_t at = head.find(name);
  if (at == std::string::npos) fail("an answer without a length:\n{}", head);
  return std::strtoul(head.c_str() + at + name.size(), nullptr, 10);
}

}  // namespace

HttpReply http_call(int port, const std::string& method,
                    const std::string& path, const std::string& body) {
  const Connection connection(port);
  const std::string request = fmt::format(
      "{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n"
      "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
      method, path, port, body.size(), body);
  for (size_t sent = 0; sent < request.size();) {
    const ssize_t now = ::send(connection.socket, request.data() + sent,
                               request.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) fail("{} {} could not be sent", method, path);
    sent += static_cast<size_t>(now);
  }
  std::string answer;
  size_t head = std::string::npos, needed = std::string::npos;
  while (head == std::string::npos || answer.size() < needed) {
    char buffer[65536];
    const ssize_t now = ::recv(connection.socket, buffer, sizeof(buffer), 0);
    if (now <= 0) fail("the answer to {} {} is cut", method, path);
    answer.append(buffer, static_cast<size_t>(now));
    if (head != std::string::npos) continue;
    head = answer.find("\r\n\r\n");
    if (head != std::string::npos) {
      needed = head + 4 + content_length(answer.substr(0, head));
    }
  }
  return {std::atoi(answer.c_str() + answer.find(' ')),
          answer.substr(head + 4)};
}

}  // namespace ordered_gnn::lab
