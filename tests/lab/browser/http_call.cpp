#include "lab/browser/http_call.h"

#include "ordered_gnn/core/error.h"

#ifdef ORDERED_GNN_HTTPLIB

#include <httplib.h>

namespace ordered_gnn::lab {

bool can_call_http() { return true; }

HttpAnswer http_call(int port, const std::string& method,
                     const std::string& path, const std::string& body) {
  httplib::Client client("127.0.0.1", port);
  client.set_read_timeout(60);
  httplib::Request request;
  request.method = method;
  request.path = path;
  request.body = body;
  request.set_header("Content-Type", "application/json");
  const httplib::Result answer = client.send(request);
  if (!answer) {
    fail("{} {}: no answer from port {} ({})", method, path, port,
         httplib::to_string(answer.error()));
  }
  return {answer->status, answer->body};
}

}  // namespace ordered_gnn::lab

#else

namespace ordered_gnn::lab {

bool can_call_http() { return false; }

HttpAnswer http_call(int, const std::string&, const std::string&,
                     const std::string&) {
  fail("this build has no HTTP client; build it with cpp-httplib");
}

}  // namespace ordered_gnn::lab

#endif
