#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "lab/serve/http_call.h"
#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::lab {

struct HttpSettings {
  std::string host = "127.0.0.1";
  int port = 0;                     ///< 0: any that is free
  std::filesystem::path cert, key;  ///< TLS where they are given
  int64_t max_body = 8 << 20;
  int64_t max_connections = 64;
  std::chrono::seconds max_read{10};   ///< until a request has arrived
  std::chrono::seconds max_write{30};  ///< until its answer is taken
};

/// False in a build without cpp-httplib; HttpServer then throws.
bool can_serve_http();

/// Whether an address is that of this machine alone.
bool is_loopback(const std::string& host);

/// Listens and answers on threads of its own until it ends, which lets requests
/// that have begun be answered.
class HttpServer : NonCopyable {
 public:
  /// @throws Error when the address is taken, or certificate and key cannot be
  ///         used.
  HttpServer(HttpHandler& handler, const HttpSettings& settings);
  ~HttpServer();

  int port() const;
  /// Takes no more connections and waits for those that are there.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ordered_gnn::lab
