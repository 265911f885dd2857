#include "lab/serve/api_support.h"

namespace ordered_gnn::lab {
namespace {

TEST_F(ServedApi, SaysWhichFieldIsWrong) {
  const auto predict = [&](const Json& body, int status = 422) {
    return refused("/v1/predict", body, status);
  };
  EXPECT_EQ(predict({{"ids", {1, "nobody"}}}, 404),
            "ids[1]: there is no node 'nobody'");
  EXPECT_TRUE(contains(predict({{"ids", {1.5}}}), "ids[0]: an id is a text"));
  EXPECT_TRUE(contains(predict({{"ids", Json::array()}}), "ids: expected"));
  EXPECT_TRUE(contains(predict({{"ids", {1}}, {"tip", 1}}),
                       "tip: unknown key 'tip'; did you mean 'top'"));
  EXPECT_TRUE(contains(predict({{"ids", {1}}, {"top", -1}}), "top: "));
  EXPECT_TRUE(contains(predict({{"ids", Json(std::vector<int>(1001, 1))}}),
                       "ids: 1001 ids are more than 1000"));
  const auto change = [&](const Json& body) {
    return refused("/v1/graph", body);
  };
  EXPECT_EQ(change({{"add_edges", {{1, "nobody"}}}}),
            "add_edges[0][1]: there is no node 'nobody'");
  EXPECT_TRUE(contains(change({{"add_edges", {{1, 2, 3}}}}),
                       "add_edges[0]: an edge is"));
  EXPECT_TRUE(contains(change({{"set_labels", {{{"id", 1}, {"label", "9"}}}}}),
                       "set_labels[0].label: unknown class '9'"));
  EXPECT_TRUE(
      contains(change({{"set_features", {{{"id", 1}, {"features", {1, 2}}}}}}),
               "set_features[0].features: a node has 8 features, got 2"));
  EXPECT_TRUE(contains(
      change({{"add_nodes", {{{"columns", {{"age", 3}}}}}}}),
      "add_nodes[0].columns: the features of this graph have no names"));
  EXPECT_TRUE(contains(change({{"add_nodes", {Json::object()}}}),
                       "add_nodes[0]: a node has one of"));
  EXPECT_TRUE(contains(change(Json::object()), ": the change is empty"));
  EXPECT_TRUE(contains(
      change({{"set_features",
               {{{"id", 1}, {"features", {1e39, 0, 0, 0, 0, 0, 0, 0}}}}}}),
      "set_features[0].features[0]: a feature must be finite"));
  EXPECT_EQ(service_.status().sequence, 0);
}

TEST_F(ServedApi, RefusesBodiesThatAreNoJson) {
  const auto status = [&](const std::string& body) {
    return ask(call_of("POST", "/v1/predict", body)).status;
  };
  EXPECT_EQ(status(""), 400);
  EXPECT_EQ(status("{\"ids\": [1"), 400);
  EXPECT_EQ(status("{\"ids\": [NaN]}"), 400);
  EXPECT_EQ(status("\xff"), 400);
  EXPECT_EQ(status(std::string(1000000, '[')), 400);
  HttpCall call = call_of("POST", "/v1/predict", "{}");
  call.content_type = "text/plain";
  EXPECT_EQ(ask(call).status, 415);
  call.content_type = "application/json; charset=utf-8";
  EXPECT_EQ(ask(call).status, 422);
  call.body_state = HttpCall::Body::too_long;
  EXPECT_EQ(ask(call).status, 413);
  call.body_state = HttpCall::Body::timed_out;
  EXPECT_EQ(ask(call).status, 408);
  call.body_state = HttpCall::Body::cut;
  EXPECT_EQ(ask(call).status, 400);
  call.is_overload = true;
  EXPECT_EQ(ask(call).status, 503);
}

// Where a text could be read in two ways, or holds no number of ours.
TEST_F(ServedApi, RefusesNumbersAndKeysThatSayNothingCertain) {
  const auto said = [&](const std::string& path, const std::string& body) {
    const HttpReply reply = ask(call_of("POST", path, body));
    return std::to_string(reply.status) + " " + reply.body;
  };
  const auto starts = [](const std::string& text, const char* status) {
    return text.rfind(status, 0) == 0;
  };
  EXPECT_TRUE(starts(said("/v1/predict", R"({"ids": [1e400]})"), "400"));
  for (const char* id : {"1.0", "1e0", "-1", "-0.0", "1.5", "true", "null",
                         "[1]", "{}", "\"\"", "99999999999999999999"}) {
    EXPECT_TRUE(starts(
        said("/v1/predict", std::string(R"({"ids": [)") + id + "]}"), "422"))
        << id;
  }
  // The same node in two places of one request is answered twice.
  const HttpReply twice =
      ask(call_of("POST", "/v1/predict", R"({"ids": [1, "1", -0]})"));
  ASSERT_EQ(twice.status, 200) << twice.body;
  const Json all = Json::parse(twice.body)["predictions"];
  EXPECT_EQ(all[0], all[1]);
  EXPECT_EQ(all[2]["id"], "0");
  EXPECT_TRUE(contains(said("/v1/predict", R"({"ids": [1], "ids": [2]})"),
                       "an object has the key 'ids' twice"));
  EXPECT_TRUE(
      contains(said("/v1/graph",
                    R"({"set_labels": [{"id": 1, "label": 0, "label": 1}]})"),
               "an object has the key 'label' twice"));
  EXPECT_TRUE(contains(
      said("/v1/graph", R"({"add_nodes": [{"sparse": {"indices": [1, 1],
                             "values": [2, 3]}}]})"),
      "feature 1 is there twice"));
  EXPECT_TRUE(
      contains(said("/v1/graph",
                    R"({"add_nodes": [{"id": "n", "sparse": {"indices": [],
               "values": []}}, {"id": "n", "sparse": {"indices": [],
               "values": []}}]})"),
               "there is a node 'n' already"));
  EXPECT_EQ(service_.status().sequence, 0);
}

// A name may hold anything; headers and paths of answers hold none of it.
TEST_F(ServedApi, NamesAreNeverPartOfAHeader) {
  const std::string name = "a\r\nX-Evil: 1\r\n\r\n<script>\"\\";
  post("/v1/graph",
       {{"add_nodes", {{{"id", name}, {"features", {1, 0, 2, 0, 0, 1, 0, 3}}}}},
        {"wait", true}});
  const HttpReply reply = ask("GET", "/v1/nodes/" + name);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(Json::parse(reply.body)["id"], name);
  for (const std::string& path : {"/" + name, "/v1/nodes/x" + name}) {
    const HttpReply other = ask("GET", path);
    EXPECT_EQ(other.status, 404);
    for (const auto& [key, value] : other.headers) {
      EXPECT_EQ(value.find('\n'), std::string::npos) << key;
    }
  }
  EXPECT_FALSE(contains(ask("GET", "/").body, name));
}

}  // namespace
}  // namespace ordered_gnn::lab
