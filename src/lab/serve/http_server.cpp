#include "lab/serve/http_server.h"

#include "ordered_gnn/core/error.h"

#ifdef ORDERED_GNN_HTTPLIB

#include <httplib.h>

#include <atomic>
#include <thread>

#include "core/affixes.h"
#include "lab/serve/connection_queue.h"
#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
#include <openssl/ssl.h>
#endif

namespace ordered_gnn::lab {
namespace {

// Longer paths name nothing; cpp-httplib matches paths by regular expressions,
// which take stack for every character.
constexpr size_t kMostPath = 1024;
// A body that nobody wants is read up to here, so that the connection can go
// on; behind a longer one it is closed.
constexpr uint64_t kMostSkipped = 1 << 20;
constexpr time_t kIdleSeconds = 5;
constexpr size_t kMostRequestsPerConnection = 1000000000;

HttpCall call_of(const httplib::Request& request) {
  HttpCall out;
  out.method = request.method;
  out.path = request.path;
  out.authorization = request.get_header_value("Authorization");
  out.content_type = request.get_header_value("Content-Type");
  out.is_overload = is_refused_connection;
  return out;
}

void set_headers(const HttpReply& reply, httplib::Response& response) {
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) {
    response.set_header(name, value);
  }
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Cache-Control", "no-store");
}

void send(const HttpReply& reply, httplib::Response& response) {
  set_headers(reply, response);
  response.set_content(reply.body, reply.content_type);
}

// Answers and ends the connection: what is left of the request in it would be
// taken for the next one. A provider that gives up after the last byte is the
// way to tell cpp-httplib so.
void send_last(HttpReply reply, httplib::Response& response) {
  set_headers(reply, response);
  response.set_header("Connection", "close");
  const size_t size = reply.body.size();
  response.set_content_provider(
      size, reply.content_type,
      [body = std::move(reply.body)](size_t offset, size_t /*length*/,
                                     httplib::DataSink& sink) {
        sink.write(body.data() + offset, body.size() - offset);
        return false;
      });
}

uint64_t stated_length(const httplib::Request& request) {
  return request.get_header_value<uint64_t>("Content-Length");
}

bool is_chunked(const httplib::Request& request) {
  return request.has_header("Transfer-Encoding");
}

class Listener {
 public:
  Listener(HttpHandler& handler, const HttpSettings& settings)
      : handler_(handler), settings_(settings) {}

  void listen_on(httplib::Server& server) {
    server.new_task_queue = [most = settings_.max_connections] {
      return new ConnectionQueue(most);
    };
    server.set_tcp_nodelay(true);
    server.set_keep_alive_max_count(kMostRequestsPerConnection);
    server.set_keep_alive_timeout(kIdleSeconds);
    server.set_read_timeout(settings_.max_read);
    server.set_write_timeout(settings_.max_read);
    server.set_payload_max_length(static_cast<size_t>(settings_.max_body));
    server.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          return begin(request, response);
        });
    const auto with_body = [this](const httplib::Request& request,
                                  httplib::Response& response,
                                  const httplib::ContentReader& reader) {
      answer_body(request, response, reader);
    };
    server.Post(".*", with_body);
    server.Put(".*", with_body);
    server.Patch(".*", with_body);
    server.Delete(".*", with_body);
    server.set_exception_handler(
        [](const httplib::Request&, httplib::Response& response,
           const std::exception_ptr&) { response.status = 500; });
  }

 private:
  using Begun = httplib::Server::HandlerResponse;

  // All that has no body is answered here.
  Begun begin(const httplib::Request& request, httplib::Response& response) {
    if (request.path.size() > kMostPath) {
      HttpReply reply{414, "text/plain", "the path is too long\n"};
      send_last(std::move(reply), response);
      return Begun::Handled;
    }
    const bool may_have_body =
        request.method == "POST" || request.method == "PUT" ||
        request.method == "PATCH" || request.method == "DELETE";
    if (may_have_body) return Begun::Unhandled;
    const bool leaves_body =
        request.has_header("Content-Length") && stated_length(request) > 0;
    HttpReply reply = handler_.answer(call_of(request));
    if (leaves_body || is_chunked(request)) {
      send_last(std::move(reply), response);
    } else {
      send(reply, response);
    }
    return Begun::Handled;
  }

  void answer_body(const httplib::Request& request, httplib::Response& response,
                   const httplib::ContentReader& reader) {
    HttpCall call = call_of(request);
    const bool takes = handler_.takes_body(call);
    const bool has_body =
        is_chunked(request) || request.has_header("Content-Length");
    const auto most = static_cast<uint64_t>(settings_.max_body);
    if (!has_body) {
      call.body_state = HttpCall::Body::whole;
      // Without a length cpp-httplib would read until the connection ends.
      send_last(handler_.answer(call), response);
      return;
    }
    // Forms in parts would be taken apart.
    const bool is_form = core::starts_with(call.content_type, "multipart/");
    if (is_form || stated_length(request) > (takes ? most : kMostSkipped)) {
      call.body_state = HttpCall::Body::too_long;
      send_last(handler_.answer(call), response);
      return;
    }
    read_body(reader, takes, call);
    if (call.body_state == HttpCall::Body::whole) {
      send(handler_.answer(call), response);
    } else {
      send_last(handler_.answer(call), response);
    }
  }

  void read_body(const httplib::ContentReader& reader, bool takes,
                 HttpCall& call) const {
    const auto end = std::chrono::steady_clock::now() + settings_.max_read;
    const auto most =
        takes ? static_cast<uint64_t>(settings_.max_body) : kMostSkipped;
    uint64_t size = 0;
    const auto is_late = [&] {
      return std::chrono::steady_clock::now() >= end;
    };
    const bool is_read = reader([&](const char* data, size_t length) {
      size += length;
      if (takes && size <= most) call.body.append(data, length);
      return size <= most && !is_late();
    });
    if (is_read) {
      call.body_state = HttpCall::Body::whole;
    } else if (size > most) {
      call.body_state = HttpCall::Body::too_long;
    } else {
      call.body_state =
          is_late() ? HttpCall::Body::timed_out : HttpCall::Body::cut;
    }
  }

  HttpHandler& handler_;
  const HttpSettings settings_;
};

#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
std::unique_ptr<httplib::Server> make_tls_server(const HttpSettings& settings) {
  std::string why;
  auto server = std::make_unique<httplib::SSLServer>([&](SSL_CTX& context) {
    SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
    if (SSL_CTX_use_certificate_chain_file(&context, settings.cert.c_str()) !=
        1) {
      why = settings.cert.string() + ": holds no certificate in PEM";
    } else if (SSL_CTX_use_PrivateKey_file(&context, settings.key.c_str(),
                                           SSL_FILETYPE_PEM) != 1) {
      why = settings.key.string() +
            ": holds no private key of the certificate in PEM";
    }
    return why.empty();
  });
  if (!why.empty()) throw Error(why);
  return server;
}
#endif

std::unique_ptr<httplib::Server> make_server(const HttpSettings& settings) {
  if (settings.cert.empty()) return std::make_unique<httplib::Server>();
#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
  return make_tls_server(settings);
#else
  throw Error("this build has no TLS (cpp-httplib without OpenSSL)");
#endif
}

}  // namespace

struct HttpServer::State {
  State(HttpHandler& handler, const HttpSettings& settings)
      : listener(handler, settings), server(make_server(settings)) {}

  Listener listener;
  std::unique_ptr<httplib::Server> server;
  int port = 0;
  std::thread thread;
};

bool can_serve_http() { return true; }

HttpServer::HttpServer(HttpHandler& handler, const HttpSettings& settings)
    : state_(std::make_unique<State>(handler, settings)) {
  httplib::Server& server = *state_->server;
  state_->listener.listen_on(server);
  if (settings.port == 0) {
    state_->port = server.bind_to_any_port(settings.host);
  } else {
    state_->port =
        server.bind_to_port(settings.host, settings.port) ? settings.port : -1;
  }
  if (state_->port <= 0) {
    fail(
        "cannot listen on {} port {}; another program may use it, or it is "
        "not an address of this machine",
        settings.host, settings.port);
  }
  state_->thread = std::thread([&server] { server.listen_after_bind(); });
  // stop() does nothing before that.
  while (!server.is_running()) std::this_thread::yield();
}

HttpServer::~HttpServer() { stop(); }

int HttpServer::port() const { return state_->port; }

void HttpServer::stop() {
  if (!state_->thread.joinable()) return;
  state_->server->stop();
  state_->thread.join();
}

}  // namespace ordered_gnn::lab

#else

namespace ordered_gnn::lab {

struct HttpServer::State {};

bool can_serve_http() { return false; }

HttpServer::HttpServer(HttpHandler& /*handler*/,
                       const HttpSettings& /*settings*/) {
  fail("this build has no HTTP server; build it with cpp-httplib");
}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return 0; }

void HttpServer::stop() {}

}  // namespace ordered_gnn::lab

#endif

namespace ordered_gnn::lab {

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0;
}

}  // namespace ordered_gnn::lab
