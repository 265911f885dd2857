#pragma once
#include <string>

namespace ordered_gnn::lab {

struct HttpReply {
  int status = 0;
  std::string body;
};

/// One request to 127.0.0.1 and its whole answer.
/// @throws Error when nobody listens or the answer is cut.
HttpReply http_call(int port, const std::string& method,
                    const std::string& path, const std::string& body);

}  // namespace ordered_gnn::lab
