#pragma once
#include <filesystem>
#include <memory>

#include "lab/serve/channel.h"

struct ssl_ctx_st;  // of OpenSSL

namespace ordered_gnn::lab {

/// A server's certificate and key.
class TlsSettings {
 public:
  /// @throws Error when a file cannot be used, or the key is that of another
  ///         certificate.
  TlsSettings(const std::filesystem::path& cert,
              const std::filesystem::path& key);

  /// TLS 1.2 or later on a socket; nothing when the other side does not speak
  /// it in time. The socket stays open.
  std::unique_ptr<Channel> accept(int socket,
                                  Channel::Clock::time_point until) const;

 private:
  struct FreeContext {
    void operator()(ssl_ctx_st* context) const;
  };
  std::unique_ptr<ssl_ctx_st, FreeContext> context_;
};

}  // namespace ordered_gnn::lab
