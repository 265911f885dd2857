#include "lab/serve/api.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cctype>
#include <csignal>

#include "lab/report/page_assets.h"
#include "lab/serve/served_files.h"
#include "ordered_gnn/core/memory_budget.h"
#include "support/errors.h"
#include "support/json_schema.h"

namespace ordered_gnn::lab {
namespace {

HttpCall call_of(const std::string& method, const std::string& path,
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

TEST_F(ServedApi, PredictsNodesOfOneVersion) {
  const Json said = post("/v1/predict", {{"ids", {3, "17"}},
                                         {"top", 2},
                                         {"probabilities", true},
                                         {"logits", true},
                                         {"embedding", true},
                                         {"hop_shares", true}});
  EXPECT_EQ(said["version"], 0);
  ASSERT_EQ(said["predictions"].size(), 2u);
  const Json& one = said["predictions"][1];
  EXPECT_EQ(one["id"], "17");
  EXPECT_EQ(one["top"].size(), 2u);
  EXPECT_EQ(one["top"][0]["label"], one["label"]);
  EXPECT_EQ(one["top"][0]["probability"], one["confidence"]);
  EXPECT_EQ(one["embedding"].size(), 16u);
  EXPECT_EQ(one["hop_shares"].size(), 3u);
  // The numbers are those of predict(), every bit.
  const Trained trained = load_trained(files_.checkpoint());
  const Prediction want =
      predict(trained, load_dataset(data_for(trained, files_.data().string())));
  for (int64_t c = 0; c < 3; ++c) {
    const auto at = static_cast<size_t>(c);
    EXPECT_EQ(one["probabilities"][at].get<float>(),
              want.probabilities[17][c].item<float>());
    EXPECT_EQ(one["logits"][at].get<float>(), want.logits[17][c].item<float>());
  }
}

TEST_F(ServedApi, EdgesMayBeObjects) {
  post("/v1/graph",
       {{"add_edges", {{{"source", 3}, {"target", "17"}}}}, {"wait", true}});
  const Json edge = {{"source", 3}, {"target", 4}, {"weight", 2}};
  EXPECT_EQ(refused("/v1/graph", {{"add_edges", {edge}}}),
            "add_edges[0].weight: edges have no weights here: the graph has "
            "none, or the model was trained without");
  EXPECT_EQ(refused("/v1/graph", {{"remove_edges", {edge}}}),
            "remove_edges[0].weight: an edge is removed whatever its weight; "
            "leave it out");
  for (const Json& weight : {Json(-1), Json(1e300), Json("2"), Json()}) {
    Json other = edge;
    other["weight"] = weight;
    EXPECT_TRUE(contains(refused("/v1/graph", {{"add_edges", {other}}}),
                         "add_edges[0].weight: a weight is a finite number"));
  }
  EXPECT_TRUE(contains(refused("/v1/graph", {{"add_edges", {{{"source", 3}}}}}),
                       "add_edges[0].target: this key is missing"));
}

TEST_F(ServedApi, ChangesAreSeenByLaterAnswers) {
  const Json accepted = post(
      "/v1/graph",
      {{"add_nodes",
        {{{"id", "new"}, {"features", {1, 0, 2, 0, 0, 1, 0, 3}}, {"label", 1}},
         {{"sparse", {{"indices", {2}}, {"values", {0.5}}}}}}},
       {"add_edges", {{"new", 3}, {5, "new"}}},
       {"wait", true}});
  EXPECT_EQ(accepted["sequence"], 1);
  EXPECT_EQ(accepted["ids"], Json({"new", "61"}));
  const HttpReply node = ask("GET", "/v1/nodes/new");
  EXPECT_EQ(node.status, 200);
  const Json said = Json::parse(node.body);
  EXPECT_EQ(said["version"], 1);
  EXPECT_EQ(said["known_label"], "1");
  EXPECT_EQ(said["num_senders"], 3);  // itself, and both ways
  post("/v1/graph", {{"remove_nodes", {"new"}}, {"wait", true}});
  EXPECT_EQ(ask("GET", "/v1/nodes/new").status, 404);
}

TEST_F(ServedApi, ExplainsANode) {
  const Json said = post("/v1/explain", {{"id", 12}, {"removals", 3}});
  EXPECT_EQ(said["id"], "12");
  EXPECT_EQ(said["tree"][0]["id"], "12");
  EXPECT_LE(said["influences"].size(), 3u);
  EXPECT_EQ(refused("/v1/explain", {{"id", "nobody"}}, 404),
            "id: there is no node 'nobody'");
  EXPECT_TRUE(contains(refused("/v1/explain", {{"id", 1}, {"removals", 999}}),
                       "removals: "));
}

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

TEST_F(ServedApi, KnowsItsRoutes) {
  EXPECT_EQ(ask("GET", "/healthz").body, "ok\n");
  EXPECT_EQ(ask("GET", "/readyz").status, 200);
  EXPECT_EQ(ask("GET", "/nothing").status, 404);
  EXPECT_EQ(ask("GET", "/v1/nodes/").status, 404);
  const HttpReply wrong = ask("GET", "/v1/predict");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers.at("Allow"), "POST");
  EXPECT_EQ(ask("HEAD", "/v1/model").status, 200);
  const Json model = Json::parse(ask("GET", "/v1/model").body);
  EXPECT_EQ(model["kind"], "ordered_gnn");
  EXPECT_EQ(model["incremental"], true);
  EXPECT_EQ(Json::parse(ask("GET", "/openapi.json").body)["openapi"], "3.1.0");
  api_.retire();
  EXPECT_EQ(ask("GET", "/readyz").status, 503);
  EXPECT_EQ(ask("GET", "/healthz").status, 200);
}

TEST_F(ServedApi, ShowsAPageOfItsNodes) {
  const HttpReply page = ask("GET", "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(contains(page.body, "60 nodes"));
  EXPECT_TRUE(contains(page.headers.at("Content-Security-Policy"),
                       "default-src 'none'"));
}

TEST_F(ServedApi, CountsWhatItDoes) {
  post("/v1/predict", {{"ids", {1, 2, 3}}});
  post("/v1/predict", {{"ids", {"nobody"}}}, 404);
  for (const char* path : {"/a", "/b\"}", "/v1/nodes/x", "/v1/nodes/y"}) {
    EXPECT_EQ(ask("GET", path).status, 404);
  }
  HttpCall refused;
  refused.refused_status = 431;
  EXPECT_EQ(api_.answer(refused).status, 431);
  post("/v1/graph",
       {{"set_labels", {{{"id", 1}, {"label", nullptr}}}}, {"wait", true}});
  const std::string text = ask("GET", "/metrics").body;
  EXPECT_TRUE(contains(
      text, "ognn_requests_total{route=\"/v1/predict\",status=\"200\"} 1\n"));
  EXPECT_TRUE(contains(
      text, "ognn_requests_total{route=\"/v1/predict\",status=\"404\"} 1\n"));
  // What clients make up is no label.
  EXPECT_TRUE(contains(
      text, "ognn_requests_total{route=\"other\",status=\"404\"} 2\n"));
  EXPECT_TRUE(contains(
      text, "ognn_requests_total{route=\"/v1/nodes/\",status=\"404\"} 2\n"));
  EXPECT_TRUE(contains(
      text, "ognn_requests_total{route=\"other\",status=\"431\"} 1\n"));
  EXPECT_TRUE(contains(text, "ognn_predictions_total 3\n"));
  EXPECT_TRUE(contains(text, "ognn_changes_acknowledged 1\n"));
  EXPECT_TRUE(contains(text, "ognn_nodes 60\n"));
  EXPECT_TRUE(contains(
      text,
      "ognn_request_seconds_bucket{route=\"/v1/graph\",le=\"+Inf\"} 1\n"));
}

// Files that may not grow stand in for a full disk.
TEST_F(ServedApi, AFullDiskRefusesChangesAlone) {
  const Json change = {{"set_labels", {{{"id", 1}, {"label", 1}}}},
                       {"wait", true}};
  post("/v1/graph", change);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit none = before;
  none.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  const HttpReply refused = ask("POST", "/v1/graph", change);
  const HttpReply added =
      ask("POST", "/v1/graph",
          {{"add_nodes",
            {{{"id", "lost"}, {"features", {1, 0, 2, 0, 0, 1, 0, 3}}}}}});
  const HttpReply said = ask("POST", "/v1/predict", {{"ids", {1}}});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(refused.status, 507) << refused.body;
  EXPECT_EQ(added.status, 507);
  EXPECT_EQ(said.status, 200);
  EXPECT_TRUE(contains(ask("GET", "/metrics").body, "ognn_failing 1\n"));
  // With room again all goes on, and nothing of the refused ones is there.
  EXPECT_EQ(post("/v1/graph", change)["sequence"], 2);
  EXPECT_EQ(ask("GET", "/v1/nodes/lost").status, 404);
  EXPECT_EQ(service_.change(one_more("next", "0")).sequence, 3);
}

// What is short refuses changes and lets predictions go on.
TEST_F(ServedApi, ShortMemoryRefusesChangesAlone) {
  const Json change = {{"set_labels", {{{"id", 1}, {"label", 1}}}},
                       {"wait", true}};
  {
    const MemoryScope nothing_left(1);
    EXPECT_TRUE(contains(refused("/v1/graph", change, 503),
                         ": memory is short for changes: --max-memory"));
    post("/v1/predict", {{"ids", {1}}});
  }
  EXPECT_EQ(service_.status().sequence, 0);
  EXPECT_EQ(post("/v1/graph", change)["sequence"], 1);
}

TEST(ServedLimits, TooManyChangesWait) {
  const ServedFiles files;
  ServiceSettings settings = files.settings();
  settings.max_pending = 0;
  Service service(settings);
  Api api(service, {}, {});
  const HttpReply reply =
      api.answer(call_of("POST", "/v1/graph", R"({"remove_nodes": [1]})"));
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.headers.at("Retry-After"), "1");
  EXPECT_TRUE(contains(reply.body, "changes wait to be written"));
  EXPECT_EQ(service.status().sequence, 0);
}

TEST_F(ServedApi, ReadsItsModelAgain) {
  EXPECT_EQ(ask("PUT", "/v1/model", Json::object()).status, 200);
  EXPECT_EQ(ask("PUT", "/v1/model").status, 200);
  EXPECT_TRUE(contains(ask("PUT", "/v1/model", {{"file", "/etc/passwd"}}).body,
                       "\"field\":\"file\""));
  write_text(files_.checkpoint(), "no model");
  const HttpReply refused = ask("PUT", "/v1/model", Json::object());
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(ask("GET", "/v1/nodes/1").status, 200);
}

TEST(ServedAccess, AnswersWithoutATokenToItsAddressAlone) {
  const ServedFiles files;
  Service service(files.settings());
  Api api(service, Access(), {});
  HttpCall call = call_of("POST", "/v1/graph", R"({"remove_nodes": [1]})");
  for (const char* host : {"evil.example", "evil.example:8080", "127.0.0.1.a",
                           "localhost.a", "[::1", "1", "::1"}) {
    call.host = host;
    EXPECT_FALSE(api.takes_body(call)) << host;
    const HttpReply reply = api.answer(call);
    EXPECT_EQ(reply.status, 421) << host;
    EXPECT_TRUE(contains(reply.body, "--token-file")) << host;
  }
  EXPECT_EQ(service.status().sequence, 0);
  call = call_of("GET", "/v1/nodes/1");
  for (const char* host : {"", "localhost", "LocalHost:80", "127.0.0.1:8080",
                           "192.168.1.2", "[::1]:8080"}) {
    call.host = host;
    EXPECT_EQ(api.answer(call).status, 200) << host;
  }
  call.path = "/healthz";
  call.host = "evil.example";
  EXPECT_EQ(api.answer(call).status, 200);
}

TEST(ServedAccess, NeedsTheToken) {
  const ServedFiles files;
  Service service(files.settings());
  const std::filesystem::path file = files.dir() / "token";
  write_text(file, "0123456789abcdef0123\n");
  Api api(service, Access::from_file(file), {});
  HttpCall call = call_of("GET", "/v1/nodes/1");
  const auto status = [&](const std::string& authorization) {
    call.authorization = authorization;
    return api.answer(call).status;
  };
  EXPECT_EQ(status(""), 401);
  EXPECT_EQ(status("Bearer 0123456789abcdef0124"), 401);
  EXPECT_EQ(status("Bearer 0123456789abcdef0123x"), 401);
  EXPECT_EQ(status("Bearer "), 401);
  EXPECT_EQ(status("0123456789abcdef0123"), 401);
  EXPECT_EQ(status("Bearer 0123456789abcdef0123"), 200);
  call.host = "graphs.example";
  EXPECT_EQ(status("Bearer 0123456789abcdef0123"), 200);
  EXPECT_EQ(status("bearer 0123456789abcdef0123"), 200);
  // user:0123456789abcdef0123
  EXPECT_EQ(status("Basic dXNlcjowMTIzNDU2Nzg5YWJjZGVmMDEyMw=="), 200);
  EXPECT_EQ(status("Basic !!!!"), 401);
  EXPECT_EQ(status("Basic ="), 401);
  call.path = "/";
  EXPECT_TRUE(
      contains(api.answer(call).headers.at("WWW-Authenticate"), "Basic"));
  for (const char* path :
       {"/nothing", "/metrics", "/openapi.json", "/v1/model", "/healthz/"}) {
    call.path = path;
    EXPECT_EQ(status(""), 401) << path;
  }
  for (const char* path : {"/healthz", "/readyz"}) {
    call.path = path;
    EXPECT_EQ(status(""), 200) << path;
  }
  HttpCall body = call_of("POST", "/v1/predict", "{}");
  EXPECT_FALSE(api.takes_body(body));
  body.authorization = "Bearer 0123456789abcdef0123";
  EXPECT_TRUE(api.takes_body(body));
}

TEST(ServedAccess, RefusesTokensThatAreNone) {
  const TempDir dir;
  write_text(dir / "short", "abc\n");
  write_text(dir / "blank", "0123456789 0123456789\n");
  write_text(dir / "open", "0123456789abcdef0123\n");
  std::filesystem::permissions(dir / "open",
                               std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  const auto refused = [&](const char* name) {
    return error_of([&] { Access::from_file(dir / name); });
  };
  EXPECT_TRUE(contains(refused("short"), "at least 16 characters"));
  EXPECT_TRUE(contains(refused("blank"), "without blanks"));
  EXPECT_TRUE(contains(refused("open"), "others may write"));
  EXPECT_TRUE(contains(refused("none"), "none"));
  write_text(dir / "crlf", "0123456789abcdef0123\r\n\n");
  EXPECT_TRUE(
      Access::from_file(dir / "crlf").allows("Bearer 0123456789abcdef0123"));
  write_text(dir / "two", "0123456789abcdef0123\n0123456789abcdef0123\n");
  EXPECT_TRUE(contains(refused("two"), "one line"));
}

TEST(ServedAccess, TellsWhoElseMayReadASecret) {
  const TempDir dir;
  write_text(dir / "token", "0123456789abcdef0123\n");
  using std::filesystem::perms;
  std::filesystem::permissions(dir / "token", perms(0640));
  EXPECT_EQ(secret_note(dir / "token"), "");
  std::filesystem::permissions(dir / "token", perms(0644));
  EXPECT_TRUE(contains(secret_note(dir / "token"), "every user"));
  EXPECT_EQ(secret_note(""), "");
}

}  // namespace
}  // namespace ordered_gnn::lab
