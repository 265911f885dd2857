#include "lab/browser/http_call.h"

#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/loopback_server.h"

namespace ordered_gnn::lab {
namespace {

int port_of(const LoopbackServer& server) {
  const std::string url = server.url();
  return std::stoi(url.substr(url.rfind(':') + 1));
}

class HttpCall : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_call_http()) GTEST_SKIP() << "this build has no cpp-httplib";
  }
};

TEST_F(HttpCall, GivesStatusAndBody) {
  const LoopbackServer server([](const LoopbackRequest& request) {
    return request.path == "/status" ? http_answer("200 OK", "{}")
                                     : http_answer("404 Not Found", "none");
  });
  const HttpAnswer found = http_call(port_of(server), "GET", "/status", "");
  EXPECT_EQ(found.status, 200);
  EXPECT_EQ(found.body, "{}");
  const HttpAnswer missing = http_call(port_of(server), "POST", "/x", "{}");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.body, "none");
}

TEST_F(HttpCall, RefusesAClosedPortAndACutAnswer) {
  EXPECT_TRUE(
      contains(error_of([] { http_call(closed_port(), "GET", "/status", ""); }),
               "GET /status: no answer from port"));
  const LoopbackServer server([](const LoopbackRequest&) {
    const std::string whole = http_answer("200 OK", "body");
    return whole.substr(0, whole.size() - 1);
  });
  EXPECT_TRUE(contains(
      error_of([&] { http_call(port_of(server), "DELETE", "/session", ""); }),
      "DELETE /session: no answer from port"));
}

}  // namespace
}  // namespace ordered_gnn::lab
