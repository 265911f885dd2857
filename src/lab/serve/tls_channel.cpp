#include "lab/serve/tls_channel.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>

#include "lab/serve/socket_channel.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

constexpr size_t kMostAtOnce = 1 << 20;

class TlsChannel : public Channel {
 public:
  TlsChannel(int socket, SSL_CTX* context)
      : socket_(socket), ssl_(SSL_new(context)) {
    // OpenSSL must give back control where the other side is slow.
    ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
    if (ssl_) SSL_set_fd(ssl_.get(), socket);
  }
  ~TlsChannel() override {
    if (ssl_ && is_intact_) SSL_shutdown(ssl_.get());
    ERR_clear_error();
  }

  bool accept(Clock::time_point until) {
    is_intact_ = ssl_ != nullptr &&
                 attempt(until, [&] { return SSL_accept(ssl_.get()); }) == 1;
    return is_intact_;
  }

  ssize_t read(char* bytes, size_t size, Clock::time_point until) override {
    const auto most = static_cast<int>(std::min(size, kMostAtOnce));
    return attempt(until, [&] { return SSL_read(ssl_.get(), bytes, most); });
  }

  bool write(const char* bytes, size_t size, Clock::time_point until) override {
    while (size > 0) {
      if (Clock::now() >= until) return false;
      const auto most = static_cast<int>(std::min(size, kMostAtOnce));
      const ssize_t sent =
          attempt(until, [&] { return SSL_write(ssl_.get(), bytes, most); });
      if (sent <= 0) return false;
      bytes += sent;
      size -= static_cast<size_t>(sent);
    }
    return true;
  }

 private:
  // Calls until it is done, waiting for what it asks for.
  template <typename Call>
  ssize_t attempt(Clock::time_point until, const Call& call) {
    while (true) {
      ERR_clear_error();
      const int result = call();
      if (result > 0) return result;
      const int why = SSL_get_error(ssl_.get(), result);
      if (why == SSL_ERROR_ZERO_RETURN) return kEnded;
      if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) {
        is_intact_ = false;
        return kFailed;
      }
      if (Clock::now() >= until ||
          !wait_for_socket(socket_, why == SSL_ERROR_WANT_WRITE, until)) {
        return kLate;
      }
    }
  }

  int socket_;
  std::unique_ptr<SSL, FreeSsl> ssl_;
  bool is_intact_ = false;
};

}  // namespace

void TlsSettings::FreeContext::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

TlsSettings::TlsSettings(const std::filesystem::path& cert,
                         const std::filesystem::path& key)
    : context_(SSL_CTX_new(TLS_server_method())) {
  SSL_CTX* const context = context_.get();
  if (context == nullptr) fail("OpenSSL cannot be used");
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // A client cannot make the server compute keys again and again.
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context, cert.c_str()) != 1) {
    fail_in(cert, "holds no certificate in PEM");
  }
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) !=
          1 ||
      SSL_CTX_check_private_key(context) != 1) {
    fail_in(key, "holds no private key of the certificate in PEM");
  }
}

std::unique_ptr<Channel> TlsSettings::accept(
    int socket, Channel::Clock::time_point until) const {
  auto out = std::make_unique<TlsChannel>(socket, context_.get());
  if (!out->accept(until)) return nullptr;
  return out;
}

}  // namespace ordered_gnn::lab
