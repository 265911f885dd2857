#pragma once
#include <string>

namespace ordered_gnn::lab {

struct HttpAnswer {
  int status = 0;
  std::string body;
};

/// False in a build without cpp-httplib; http_call() then throws.
bool can_call_http();

/// One request to 127.0.0.1 and its whole answer.
/// @throws Error when nobody listens or the answer is cut.
HttpAnswer http_call(int port, const std::string& method,
                     const std::string& path, const std::string& body);

}  // namespace ordered_gnn::lab
