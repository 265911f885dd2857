#include "ordered_gnn/nn/models.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ordered_gnn/core/error.h"
#include "support/errors.h"

namespace ordered_gnn::nn {
namespace {

TEST(Models, EveryEntryIsWholeAndFoundByItsName) {
  std::vector<std::string> known = option_names(model_option_table());
  for (const char* of_training : {"l2-theta", "l2-xi", "input-norm",
                                  "checkpoint-layers", "layout-cache"}) {
    known.emplace_back(of_training);
  }
  for (const ModelEntry& entry : model_table()) {
    SCOPED_TRACE(entry.name);
    EXPECT_EQ(&find_model(entry.name), &entry);
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_EQ(entry.paper.empty(), entry.name == "mlp");
    EXPECT_TRUE(entry.defaults.is_object());
    EXPECT_NE(entry.make, nullptr);
    EXPECT_GT(entry.prediction_bytes({}, {10, 20, 3}), 0);
    for (const std::string& option : entry.reads) {
      EXPECT_EQ(std::count(known.begin(), known.end(), option), 1) << option;
    }
    for (const auto& [option, meaning] : entry.meanings) {
      EXPECT_TRUE(entry.reads_option(option)) << option;
    }
  }
}

TEST(Models, ReadersOfAnOptionAreNamedWithWhatItIsToThem) {
  EXPECT_EQ(readers_text("heads"), " (gat, unimp)");
  EXPECT_EQ(readers_text("lambda"),
            ": identity mapping (gcnii, gcnii_star), decay (ggcn)");
  EXPECT_EQ(readers_text("no-option"), "");
}

TEST(Models, SaysWhoCanStoreRowsInSixteenBits) {
  ModelOptions options;
  EXPECT_EQ(why_no_bf16("ordered_gnn", options), "");
  EXPECT_EQ(why_no_bf16("gcn", options),
            "is for ordered_gnn and mlp, not for gcn");
  EXPECT_EQ(why_no_bf16("gated_gnn", options),
            "is for ordered_gnn and mlp, not for gated_gnn");
  options.residual = true;
  EXPECT_TRUE(contains(why_no_bf16("ordered_gnn", options), "no residual"));
  EXPECT_EQ(why_no_bf16("mlp", options), "");
}

TEST(Models, CountTheBytesOfAPrediction) {
  ModelOptions options;
  options.hidden = 8;
  options.chunk = 4;
  options.layers = 3;
  const PredictionSize size{100, 500, 5};
  const auto bytes = [&](const char* model, const PredictionSize& of) {
    return find_model(model).prediction_bytes(options, of);
  };
  const int64_t state = 4 * 100 * 8, gate = state / 4;
  const int64_t any = 2 * state + 2 * 4 * 100 * 5 + 8 * 100;
  const int64_t norms = 4 * 4 * 100;
  EXPECT_EQ(bytes("mlp", size), any);
  EXPECT_EQ(bytes("gcn", size), any + 3 * state);
  EXPECT_EQ(bytes("ordered_gnn", size), any + 2 * gate + norms);
  PredictionSize with_gates = size;
  with_gates.keeps_gates = true;
  EXPECT_EQ(bytes("ordered_gnn", with_gates), any + 4 * gate + norms);
  // Simple gates run one op after the other, whatever --gating says.
  EXPECT_EQ(bytes("gated_gnn", size), any + 3 * state + 3 * gate + norms);
  options.aggregator = Aggregator::gat;
  EXPECT_EQ(bytes("ordered_gnn", size),
            any + 3 * state + 3 * gate + 4 * 4 * 500 + norms);
}

TEST(Models, OfThePapersFamilySayWhichOrderedGnnTheyAre) {
  ModelOptions options;
  options.layers = 5;
  const auto network = [&](const char* model) {
    return find_model(model).as_ordered_gnn(options);
  };
  EXPECT_EQ(network("ordered_gnn").gating, Gating::softor);
  EXPECT_EQ(network("ordered_gnn").layers, 5);
  EXPECT_EQ(network("gated_gnn").gating, Gating::simple);
  EXPECT_EQ(network("bare_gnn").gating, Gating::none);
  EXPECT_EQ(network("mlp").layers, 0);
  EXPECT_EQ(find_model("gcn").as_ordered_gnn, nullptr);
}

TEST(Models, AValueOutOfRangeIsRefusedByName) {
  ModelOptions options;
  options.alpha = 1.5;
  try {
    create_model("gcn", {3, 2}, options, 1);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("'alpha' takes"),
              std::string::npos);
  }
}

TEST(Models, AnUnknownNameIsRefusedWithTheNearest) {
  try {
    create_model("orderd_gnn", {3, 2}, {}, 1);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'ordered_gnn'"),
              std::string::npos);
  }
}

TEST(Models, ParametersFallIntoTheirGroupsByName) {
  EXPECT_EQ(NodeModel::role_of("input.0.weight"), ParameterRole::theta);
  EXPECT_EQ(NodeModel::role_of("output.bias"), ParameterRole::theta);
  EXPECT_EQ(NodeModel::role_of("input_norm.0.weight"),
            ParameterRole::input_norm);
  EXPECT_EQ(NodeModel::role_of("layers.3.gate.weight"), ParameterRole::xi);
  EXPECT_EQ(NodeModel::role_of("gate.bias"), ParameterRole::xi);
  EXPECT_EQ(NodeModel::role_of("layers.0.norm.bias"), ParameterRole::xi);
}

}  // namespace
}  // namespace ordered_gnn::nn
