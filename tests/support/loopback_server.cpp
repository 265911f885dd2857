#include "support/loopback_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace ordered_gnn {
namespace {

int listen_on_loopback(int& port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (listener < 0 || ::bind(listener, generic, size) != 0 ||
      ::listen(listener, 16) != 0 ||
      ::getsockname(listener, generic, &size) != 0) {
    throw std::runtime_error("no loopback socket");
  }
  port = ntohs(address.sin_port);
  return listener;
}

LoopbackRequest parse(const std::string& head) {
  LoopbackRequest request;
  const size_t begin = head.find(' ') + 1;
  request.path = head.substr(begin, head.find(' ', begin) - begin);
  const std::string range = "Range: bytes=";
  const size_t at = head.find(range);
  if (at != std::string::npos) {
    request.offset = std::stoll(head.substr(at + range.size()));
  }
  return request;
}

}  // namespace

LoopbackServer::LoopbackServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = listen_on_loopback(port_);
  thread_ = std::thread([this] { serve(); });
}

LoopbackServer::~LoopbackServer() {
  stop_ = true;
  thread_.join();
  ::close(listener_);
}

std::string LoopbackServer::url() const {
  return fmt::format("http://127.0.0.1:{}", port_);
}

std::vector<LoopbackRequest> LoopbackServer::requests() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return requests_;
}

void LoopbackServer::serve() {
  while (!stop_) {
    pollfd waiting{listener_, POLLIN, 0};
    if (::poll(&waiting, 1, 20) <= 0) continue;
    const int connection = ::accept(listener_, nullptr, nullptr);
    if (connection < 0) continue;
    answer(connection);
    ::close(connection);
  }
}

void LoopbackServer::answer(int connection) {
  std::string head;
  char block[4096];
  while (head.find("\r\n\r\n") == std::string::npos) {
    const ssize_t count = ::recv(connection, block, sizeof(block), 0);
    if (count <= 0) return;
    head.append(block, static_cast<size_t>(count));
  }
  const LoopbackRequest request = parse(head);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    requests_.push_back(request);
  }
  const std::string bytes = handler_(request);
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count = ::send(connection, bytes.data() + sent,
                                 bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return;
    sent += static_cast<size_t>(count);
  }
}

std::string http_answer(const std::string& status, const std::string& body,
                        const std::string& headers) {
  return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n{}\r\n{}", status,
                     body.size(), headers, body);
}

std::string range_answer(const std::string& content, int64_t offset) {
  const auto size = static_cast<int64_t>(content.size());
  if (offset == 0) return http_answer("200 OK", content);
  if (offset >= size) {
    return http_answer("416 Range Not Satisfiable", "",
                       fmt::format("Content-Range: bytes */{}\r\n", size));
  }
  return http_answer(
      "206 Partial Content", content.substr(static_cast<size_t>(offset)),
      fmt::format("Content-Range: bytes {}-{}/{}\r\n", offset, size - 1, size));
}

int closed_port() {
  int port = 0;
  ::close(listen_on_loopback(port));
  return port;
}

std::string closed_address() {
  return fmt::format("http://127.0.0.1:{}", closed_port());
}

}  // namespace ordered_gnn
