#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "data/fetch/url.h"

namespace ordered_gnn::data {

struct HttpRequest {
  Url url;
  /// From 1 on: asks for the bytes from there on, which servers may ignore.
  int64_t offset = 0;
  std::chrono::milliseconds connect_timeout{10000};
  std::chrono::milliseconds read_timeout{30000};
};

/// What a server says before the body.
struct HttpHead {
  int status = 0;
  int64_t content_length = -1;  ///< -1 when not said
  std::string content_range;
  std::string location;
};

struct HttpResult {
  enum class End {
    complete,     ///< the whole body arrived
    stopped,      ///< a callback returned false
    cut,          ///< the connection broke or fell silent
    unreachable,  ///< no connection
    untrusted,    ///< the certificate of the server is not valid
  };
  End end = End::unreachable;
  HttpHead head;        ///< status 0 when none arrived
  std::string problem;  ///< says why `end` is one of the last three
};

/// False in a build without cpp-httplib; http_get() must not be called then.
bool http_available();

/// One GET without following redirects. The bytes are those on the wire, no
/// compression is asked for or undone. What a callback throws is thrown here
/// after the connection is closed.
/// @param on_head  called once before the body; false ends the exchange.
/// @param on_body  called for each piece of the body; false ends the exchange.
HttpResult http_get(const HttpRequest& request,
                    const std::function<bool(const HttpHead&)>& on_head,
                    const std::function<bool(const char*, size_t)>& on_body);

}  // namespace ordered_gnn::data
