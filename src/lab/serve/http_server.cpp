#include "lab/serve/http_server.h"

#include "ordered_gnn/core/error.h"

#ifdef ORDERED_GNN_HTTPLIB

#include <atomic>
#include <thread>

#include "lab/serve/http_front.h"

namespace ordered_gnn::lab {

struct HttpServer::State {
  State(HttpHandler& handler, const HttpSettings& settings)
      : front(handler, settings), host(settings.host) {}

  // The system may end listening, as where it is out of memory; only stop() is
  // to do that.
  void listen() {
    front.listen_after_bind();
    while (!is_stopping) {
      constexpr auto kBeforeAnotherTry = std::chrono::milliseconds(100);
      std::this_thread::sleep_for(kBeforeAnotherTry);
      if (front.bind_to_port(host, port)) front.listen_after_bind();
    }
    has_ended = true;
  }

  HttpFront front;
  const std::string host;
  int port = 0;
  std::atomic<bool> is_stopping{false}, has_ended{false};
  std::thread thread;
};

bool can_serve_http() { return true; }

HttpServer::HttpServer(HttpHandler& handler, const HttpSettings& settings)
    : state_(std::make_unique<State>(handler, settings)) {
  HttpFront& front = state_->front;
  if (settings.port == 0) {
    state_->port = front.bind_to_any_port(settings.host);
  } else {
    state_->port =
        front.bind_to_port(settings.host, settings.port) ? settings.port : -1;
  }
  if (state_->port <= 0) {
    fail(
        "cannot listen on {} port {}; another program may use it, or it is "
        "not an address of this machine",
        settings.host, settings.port);
  }
  state_->thread = std::thread([this] { state_->listen(); });
  // stop() does nothing before that.
  while (!front.is_running()) std::this_thread::yield();
}

HttpServer::~HttpServer() { stop(); }

int HttpServer::port() const { return state_->port; }

void HttpServer::stop() {
  if (!state_->thread.joinable()) return;
  state_->is_stopping = true;
  state_->front.retire();
  // It may be about to listen again.
  while (!state_->has_ended) {
    if (state_->front.is_listening()) state_->front.stop();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
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
