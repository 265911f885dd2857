#include "lab/serve/api.h"

#include "lab/serve/api_support.h"

namespace ordered_gnn::lab {
namespace {

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

}  // namespace
}  // namespace ordered_gnn::lab
