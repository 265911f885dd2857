#pragma once
#include <httplib.h>

#include <atomic>
#include <memory>

#include "lab/serve/http_server.h"
#include "lab/serve/request_stream.h"
#include "lab/serve/tls_channel.h"

namespace ordered_gnn::lab {

/// cpp-httplib around a handler: it takes requests apart, reads their bodies
/// and writes answers. Connections, and what may arrive on them, are ours.
class HttpFront : public httplib::Server {
 public:
  /// @throws Error when certificate and key cannot be used.
  HttpFront(HttpHandler& handler, const HttpSettings& settings);

  /// Answers all requests of a connection.
  /// @param is_refused  it is one too many, and is told so.
  void speak(Channel& channel, bool is_refused);
  /// From now on a connection ends with the answer to its request.
  void retire() { is_stopping_ = true; }
  /// Whether stop() would do something.
  bool is_listening() const {
    return is_running() && svr_sock_ != INVALID_SOCKET;
  }

 private:
  bool process_and_close_socket(socket_t socket) override;
  void speak_on(int socket);
  void speak_until_end(RequestStream& stream, bool is_refused);

  void answer(const httplib::Request& request, httplib::Response& response);
  void read_body_of(HttpCall& call) const;

  HttpHandler& handler_;
  const HttpSettings settings_;
  std::unique_ptr<TlsSettings> tls_;
  std::atomic<bool> is_stopping_{false};
};

}  // namespace ordered_gnn::lab
