// --reorder of train, predict, evaluate and data info.
#include <gtest/gtest.h>
#include <torch/types.h>

#include "cli/decisions.h"
#include "core/io/npy/npy.h"
#include "scale/parts/assign.h"
#include "support/errors.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;
using Reorder = Decisions;

std::vector<std::string> orders_built_in() {
  std::vector<std::string> orders = {"degree", "rcm"};
  if (scale::has_metis()) orders.emplace_back("metis");
  return orders;
}

TEST_F(Reorder, PredictionsKeepTheirNodes) {
  ASSERT_EQ(call("predict", {"--out", path("a.csv"), "--logits", path("a.npy"),
                             "--embeddings", path("ae.npy")})
                .status,
            0);
  for (const std::string& order : orders_built_in()) {
    const Outcome outcome =
        call("predict", {"--reorder", order, "--out", path("b.csv"), "--logits",
                         path("b.npy"), "--embeddings", path("be.npy")});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(torch::allclose(core::read_npy(path("a.npy")),
                                core::read_npy(path("b.npy")), 1e-4, 1e-5));
    EXPECT_TRUE(torch::allclose(core::read_npy(path("ae.npy")),
                                core::read_npy(path("be.npy")), 1e-4, 1e-5));
    const std::vector<std::string> a = lines("a.csv"), b = lines("b.csv");
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      // Up to the probabilities, whose last digit may differ.
      const size_t label_end = a[i].find(',', a[i].find(',') + 1);
      EXPECT_EQ(a[i].substr(0, label_end), b[i].substr(0, label_end));
    }
  }
}

TEST_F(Reorder, EvaluationIsTheSame) {
  const Json plain = json_of("evaluate", {});
  for (const std::string& order : orders_built_in()) {
    const Json moved = json_of("evaluate", {"--reorder", order});
    EXPECT_EQ(plain.at("test_accuracy"), moved.at("test_accuracy")) << order;
  }
}

TEST_F(Reorder, TrainsAndIsRemembered) {
  for (const std::string& order : orders_built_in()) {
    const Outcome trained =
        run_ognn(tiny_train({"--reorder", order, "--splits", "0-1", "--out",
                             path(order), "--json"}));
    ASSERT_EQ(trained.status, 0) << trained.err;
    const Json json = Json::parse(trained.out);
    EXPECT_EQ(json.at("config").at("reorder"), order);
    // Scores of the run are those of the model in the order of the data.
    const Outcome scored =
        run_ognn({"evaluate", "--checkpoint",
                  path(order + "/split-1/model.safetensors"), "--json"});
    ASSERT_EQ(scored.status, 0) << scored.err;
    EXPECT_NEAR(Json::parse(scored.out).at("test_accuracy").get<double>(),
                json.at("runs").at(1).at("test_accuracy").get<double>(), 1e-9);
  }
}

TEST_F(Reorder, RefusesWhatHasNoOrder) {
  const Outcome explained = call("explain", {"--reorder", "rcm"});
  EXPECT_EQ(explained.status, 2);
  EXPECT_TRUE(contains(explained.err, "leave out --reorder"));
  const Outcome unknown =
      call("predict", {"--reorder", "random", "--out", path("p.csv")});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(contains(unknown.err, "degree"));
  if (scale::has_metis()) return;
  const Outcome missing =
      call("predict", {"--reorder", "metis", "--out", path("p.csv")});
  EXPECT_EQ(missing.status, 2);
  EXPECT_TRUE(contains(missing.err, "this build has no METIS"));
}

TEST(DataInfo, MeasuresOrders) {
  const std::string data = "synthetic:csbm?nodes=3000&degree=6";
  const Outcome outcome =
      run_ognn({"data", "info", data, "--reorder", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json measured = Json::parse(outcome.out).at("reorder");
  EXPECT_EQ(measured.at("width"), 256);
  EXPECT_EQ(measured.at("orders").at(0).at("order"), "none");
  EXPECT_EQ(measured.at("orders").size(), orders_built_in().size() + 1);
  for (const Json& order : measured.at("orders")) {
    EXPECT_GT(order.at("ms").get<double>(), 0);
    EXPECT_GT(order.at("faster").get<double>(), 0);
  }
  const Outcome text = run_ognn({"data", "info", data, "--reorder"});
  EXPECT_TRUE(contains(text.out, "--reorder rcm"));
  EXPECT_TRUE(contains(text.out, "times as fast"));
}

}  // namespace
}  // namespace ordered_gnn
