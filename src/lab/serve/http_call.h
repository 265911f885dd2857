#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace ordered_gnn::lab {

/// A request, whatever has read it.
struct HttpCall {
  enum class Body {
    none,  ///< not read yet, or there is none
    whole,
    too_long,
    cut,  ///< the connection ended within it
    timed_out,
  };
  std::string method;
  std::string path;  ///< without the query, decoded
  std::string authorization, content_type;
  std::string host;  ///< what the client calls this server, with its port
  Body body_state = Body::none;
  std::string body;
  bool is_overload = false;  ///< more connections than are allowed
  /// Of a request that cannot be read; all other members are empty then.
  int refused_status = 0;
  std::string refused_because;
};

struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::map<std::string, std::string> headers = {};
};

/// Answers requests; from many threads at a time.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// Whether the body of a request is to be read; where not, answer() refuses
  /// the request without it.
  virtual bool takes_body(const HttpCall& call) const = 0;
  virtual HttpReply answer(const HttpCall& call) = 0;
};

}  // namespace ordered_gnn::lab
