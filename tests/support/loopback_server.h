#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ordered_gnn {

/// What a client asked for.
struct LoopbackRequest {
  std::string path;
  int64_t offset = 0;  ///< of a Range header; 0 without one
};

/// An HTTP server on 127.0.0.1 whose answers are raw bytes, so that tests can
/// cut, overrun or misstate them at will. One request per connection.
class LoopbackServer {
 public:
  using Handler = std::function<std::string(const LoopbackRequest&)>;

  explicit LoopbackServer(Handler handler);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  /// "http://127.0.0.1:PORT".
  std::string url() const;
  /// Every request so far, in order.
  std::vector<LoopbackRequest> requests() const;

 private:
  void serve();
  void answer(int connection);

  Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stop_{false};
  mutable std::mutex mutex_;
  std::vector<LoopbackRequest> requests_;
  std::thread thread_;
};

/// A complete answer: status line, Content-Length, `headers` (each ending in
/// "\r\n") and body.
std::string http_answer(const std::string& status, const std::string& body,
                        const std::string& headers = "");

/// Serves `content` as a good server does: 206 for the part from `offset` on,
/// 416 behind the end.
std::string range_answer(const std::string& content, int64_t offset);

/// A port of 127.0.0.1 where nobody listens, and its address.
int closed_port();
std::string closed_address();

}  // namespace ordered_gnn
