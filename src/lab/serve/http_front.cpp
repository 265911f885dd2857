#ifdef ORDERED_GNN_HTTPLIB

#include "lab/serve/http_front.h"

#include <fmt/format.h>

#include "lab/serve/connection_queue.h"
#include "lab/serve/problem.h"
#include "lab/serve/request_body.h"
#include "lab/serve/socket_channel.h"

namespace ordered_gnn::lab {
namespace {

// Longer paths name nothing.
constexpr size_t kMostPath = 1024;
// A body that nobody wants is read up to here, so that the connection can go
// on; behind a longer one it is closed.
constexpr uint64_t kMostSkipped = 1 << 20;
constexpr auto kIdle = std::chrono::seconds(5);

// The connection that this thread serves: cpp-httplib hands it to none of its
// callbacks.
struct Serving {
  RequestStream* stream = nullptr;
  bool is_refused = false;
};
thread_local Serving serving;

HttpCall call_of(const httplib::Request& request) {
  HttpCall out;
  out.method = request.method;
  out.path = request.path;
  out.authorization = request.get_header_value("Authorization");
  out.content_type = request.get_header_value("Content-Type");
  out.host = request.get_header_value("Host");
  out.is_overload = serving.is_refused;
  return out;
}

HttpCall refused_call(int status, const std::string& why) {
  HttpCall out;
  out.is_overload = serving.is_refused;
  out.refused_status = status;
  out.refused_because = why;
  return out;
}

void send(const HttpReply& reply, httplib::Response& response) {
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) {
    response.set_header(name, value);
  }
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Cache-Control", "no-store");
  if (serving.stream->is_last()) response.set_header("Connection", "close");
  response.set_content(reply.body, reply.content_type);
}

// Answers and ends the connection: what is left of the request in it would be
// taken for the next one.
void send_last(const HttpReply& reply, httplib::Response& response) {
  serving.stream->set_last();
  send(reply, response);
}

bool may_have_body(const std::string& method) {
  return method == "POST" || method == "PUT" || method == "PATCH" ||
         method == "DELETE";
}

std::string refusal_text(const HttpReply& reply) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
      "Connection: close\r\n\r\n{}",
      reply.status, status_title(reply.status), reply.content_type,
      reply.body.size(), reply.body);
}

}  // namespace

HttpFront::HttpFront(HttpHandler& handler, const HttpSettings& settings)
    : handler_(handler), settings_(settings) {
  if (!settings.cert.empty()) {
    tls_ = std::make_unique<TlsSettings>(settings.cert, settings.key);
  }
  new_task_queue = [most = settings.max_connections] {
    return new ConnectionQueue(most);
  };
  set_tcp_nodelay(true);
  set_keep_alive_timeout(std::chrono::seconds(kIdle).count());
  // Every request is answered here: bodies are not read by cpp-httplib, which
  // takes one whose chunks are wrong for whole.
  set_pre_routing_handler(
      [this](const httplib::Request& request, httplib::Response& response) {
        answer(request, response);
        return HandlerResponse::Handled;
      });
  // What cpp-httplib refuses by itself has no words.
  set_error_handler(HandlerWithResponse(
      [this](const httplib::Request& /*request*/, httplib::Response& response) {
        if (!response.body.empty()) return HandlerResponse::Unhandled;
        send_last(handler_.answer(refused_call(response.status,
                                               "the request cannot be read")),
                  response);
        return HandlerResponse::Handled;
      }));
  set_exception_handler(
      [](const httplib::Request& /*request*/, httplib::Response& response,
         const std::exception_ptr& /*what*/) { response.status = 500; });
}

bool HttpFront::process_and_close_socket(socket_t socket) {
  try {
    speak_on(socket);
  } catch (const std::exception&) {
    // Memory is short: this connection ends, the server does not.
  }
  close_politely(socket);
  return true;
}

void HttpFront::speak_on(int socket) {
  if (!tls_) {
    SocketChannel channel(socket);
    speak(channel, is_refused_connection);
    return;
  }
  const auto until = Channel::Clock::now() + settings_.max_read;
  const std::unique_ptr<Channel> channel = tls_->accept(socket, until);
  if (channel) speak(*channel, is_refused_connection);
}

void HttpFront::speak(Channel& channel, bool is_refused) {
  RequestStream stream(channel,
                       {kIdle, settings_.max_read, settings_.max_write});
  serving = {&stream, is_refused};
  try {
    speak_until_end(stream, is_refused);
  } catch (...) {
    serving = {};
    throw;
  }
  serving = {};
}

void HttpFront::speak_until_end(RequestStream& stream, bool is_refused) {
  while (stream.next_request(is_stopping_)) {
    const RequestHead& head = stream.head();
    if (head.status != 0) {
      const std::string text = refusal_text(
          handler_.answer(refused_call(head.status, head.problem)));
      stream.write(text.data(), text.size());
      stream.flush();
      return;
    }
    // Room is for those who are served.
    if (is_refused || is_stopping_) stream.set_last();
    bool ends = false;
    const bool is_answered =
        process_request(stream, stream.is_last(), ends, nullptr);
    if (!stream.flush() || !is_answered || ends) return;
  }
}

void HttpFront::answer(const httplib::Request& request,
                       httplib::Response& response) {
  if (request.path.size() > kMostPath) {
    send_last(handler_.answer(refused_call(414, "the path is too long")),
              response);
    return;
  }
  HttpCall call = call_of(request);
  if (may_have_body(call.method)) {
    read_body_of(call);
    if (call.body_state != HttpCall::Body::whole) serving.stream->set_last();
  } else if (serving.stream->head().has_body()) {
    serving.stream->set_last();
  }
  send(handler_.answer(call), response);
}

void HttpFront::read_body_of(HttpCall& call) const {
  const bool takes = handler_.takes_body(call);
  const uint64_t most =
      takes ? static_cast<uint64_t>(settings_.max_body) : kMostSkipped;
  call.body_state =
      read_body(*serving.stream, most, takes ? &call.body : nullptr);
}

}  // namespace ordered_gnn::lab

#endif
