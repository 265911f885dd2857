#pragma once
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "lab/report/page_assets.h"
#include "lab/serve/api.h"
#include "lab/serve/served_files.h"
#include "support/errors.h"
#include "support/json_schema.h"

namespace ordered_gnn::lab {

inline HttpCall call_of(const std::string& method, const std::string& path,
                        const std::string& body = "") {
  HttpCall out;
  out.method = method;
  out.path = path;
  out.content_type = "application/json";
  out.body = body;
  out.body_state = HttpCall::Body::whole;
  return out;
}

// A service behind its interface. Every request and answer is held against the
// document that describes them.
class ServedApi : public testing::Test {
 protected:
  ServedApi() : service_(files_.settings()), api_(service_, {}, {}) {}

  HttpReply ask(const HttpCall& call) {
    HttpReply reply = api_.answer(call);
    expect_described(call, reply);
    return reply;
  }
  HttpReply ask(const std::string& method, const std::string& path,
                const Json& body = nullptr) {
    return ask(call_of(method, path, body.is_null() ? "" : body.dump()));
  }
  Json post(const std::string& path, const Json& body, int status = 200) {
    const HttpReply reply = ask("POST", path, body);
    EXPECT_EQ(reply.status, status) << reply.body;
    return Json::parse(reply.body);
  }
  // "FIELD: DETAIL" of a refusal.
  std::string refused(const std::string& path, const Json& body,
                      int status = 422) {
    const Json said = post(path, body, status);
    return said.value("field", "") + ": " + said.value("detail", "");
  }

  void expect_described(const HttpCall& call, const HttpReply& reply) const {
    const Json document = Json::parse(page_asset("openapi.json"));
    const bool is_node = call.path.rfind("/v1/nodes/", 0) == 0;
    const std::string path = is_node ? "/v1/nodes/{id}" : call.path;
    if (!document["paths"].contains(path)) return;
    std::string method = call.method == "HEAD" ? "get" : call.method;
    for (char& c : method) c = static_cast<char>(std::tolower(c));
    if (!document["paths"][path].contains(method)) return;
    const Json& operation = document["paths"][path][method];
    const std::string status = std::to_string(reply.status);
    ASSERT_TRUE(operation["responses"].contains(status))
        << path << " " << status << " " << reply.body;
    const Json& content = operation["responses"][status]["content"];
    const std::string type =
        reply.content_type.substr(0, reply.content_type.find(';'));
    ASSERT_TRUE(content.contains(type)) << path << " " << type;
    const Json& schema = content[type]["schema"];
    if (type.find("json") != std::string::npos) {
      EXPECT_EQ(schema_errors(document, schema, Json::parse(reply.body)),
                std::vector<std::string>{})
          << path << " " << reply.body;
    }
    if (reply.status < 300 && operation.contains("requestBody") &&
        !call.body.empty()) {
      EXPECT_EQ(
          schema_errors(
              document,
              operation["requestBody"]["content"]["application/json"]["schema"],
              Json::parse(call.body)),
          std::vector<std::string>{})
          << call.body;
    }
  }

  const ServedFiles files_;
  Service service_;
  Api api_;
};

}  // namespace ordered_gnn::lab
