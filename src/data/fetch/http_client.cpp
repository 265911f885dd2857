#include "data/fetch/http_client.h"

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/non_copyable.h"

#ifdef ORDERED_GNN_HTTPLIB

#include <httplib.h>
#include <pthread.h>

#include <charconv>
#include <csignal>
#include <ctime>
#include <exception>

namespace ordered_gnn::data {
namespace {

// Writing to a connection that the server closed raises SIGPIPE, which would
// end the program. Held back for this thread alone: the process's own handling
// is not a library's to change.
class SigpipeHeldBack : NonCopyable {
 public:
  SigpipeHeldBack() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~SigpipeHeldBack() {
    const timespec no_wait{};
    if (!was_pending_) {
      while (sigtimedwait(&pipe_, nullptr, &no_wait) > 0) continue;
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

HttpHead head_of(const httplib::Response& response) {
  HttpHead head;
  head.status = response.status;
  head.content_range = response.get_header_value("Content-Range");
  head.location = response.get_header_value("Location");
  const std::string length = response.get_header_value("Content-Length");
  const char* const end = length.data() + length.size();
  int64_t value = 0;
  const auto [stop, status] = std::from_chars(length.data(), end, value);
  if (!length.empty() && status == std::errc{} && stop == end && value >= 0) {
    head.content_length = value;
  }
  return head;
}

HttpResult::End end_of(httplib::Error error) {
  switch (error) {
    case httplib::Error::Success:
      return HttpResult::End::complete;
    case httplib::Error::Read:
    case httplib::Error::Write:
      return HttpResult::End::cut;
    case httplib::Error::SSLServerVerification:
    case httplib::Error::SSLLoadingCerts:
      return HttpResult::End::untrusted;
    default:
      return HttpResult::End::unreachable;
  }
}

void configure(httplib::Client& client, const HttpRequest& request) {
  client.set_follow_location(false);
  client.set_decompress(false);
  client.set_keep_alive(false);
  client.set_connection_timeout(request.connect_timeout);
  client.set_read_timeout(request.read_timeout);
  client.set_write_timeout(request.read_timeout);
}

}  // namespace

bool http_available() { return true; }

HttpResult http_get(const HttpRequest& request,
                    const std::function<bool(const HttpHead&)>& on_head,
                    const std::function<bool(const char*, size_t)>& on_body) {
  HttpResult result;
#ifndef CPPHTTPLIB_OPENSSL_SUPPORT
  if (request.url.secure()) {
    result.problem = "this build has no TLS (cpp-httplib without OpenSSL)";
    return result;
  }
#endif
  const SigpipeHeldBack held_back;
  httplib::Client client(request.url.origin);
  if (!client.is_valid()) {
    result.problem = "not a valid address";
    return result;
  }
  configure(client, request);
  httplib::Headers headers = {{"Accept-Encoding", "identity"},
                              {"User-Agent", "ognn"}};
  if (request.offset > 0) {
    headers.emplace("Range", fmt::format("bytes={}-", request.offset));
  }
  // cpp-httplib is not written for exceptions that pass through it.
  std::exception_ptr thrown;
  bool stopped = false;
  const auto guarded = [&](const auto& callback) {
    try {
      stopped = !callback();
    } catch (...) {
      thrown = std::current_exception();
      stopped = true;
    }
    return !stopped;
  };
  const httplib::Result answer = client.Get(
      request.url.path, headers,
      [&](const httplib::Response& response) {
        result.head = head_of(response);
        return guarded([&] { return on_head(result.head); });
      },
      [&](const char* data, size_t size) {
        return guarded([&] { return on_body(data, size); });
      });
  if (thrown) std::rethrow_exception(thrown);
  // The head of an answer that cannot have a body is not shown to on_head.
  if (answer && result.head.status == 0) result.head = head_of(*answer);
  result.end = stopped ? HttpResult::End::stopped : end_of(answer.error());
  if (result.end == HttpResult::End::cut && result.head.status == 0) {
    result.problem = "the server gave no answer";
  } else if (result.end == HttpResult::End::cut) {
    result.problem = "the connection broke";
  } else if (result.end == HttpResult::End::untrusted) {
    result.problem = "the certificate of the server could not be verified";
  } else if (result.end == HttpResult::End::unreachable) {
    result.problem =
        fmt::format("no connection ({})", httplib::to_string(answer.error()));
  }
  return result;
}

}  // namespace ordered_gnn::data

#else

namespace ordered_gnn::data {

bool http_available() { return false; }

HttpResult http_get(const HttpRequest&,
                    const std::function<bool(const HttpHead&)>&,
                    const std::function<bool(const char*, size_t)>&) {
  fail("this build has no HTTP client; build it with cpp-httplib");
}

}  // namespace ordered_gnn::data

#endif
