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
    const PassSize size{100, 200, 20, 3};
    for (const MemoryRange& range :
         {prediction_bytes(entry, {}, size), training_bytes(entry, {}, size)}) {
      EXPECT_GE(range.least, 4 * 100 * 3);
      EXPECT_GT(range.most, range.least);
    }
    for (const std::string& option : entry.reads) {
      EXPECT_EQ(std::count(known.begin(), known.end(), option), 1) << option;
    }
    for (const auto& [option, meaning] : entry.meanings) {
      EXPECT_TRUE(entry.reads_option(option)) << option;
    }
  }
}

TEST(Models, ReadersOfAnOptionAreNamedWithWhatItIsToThem) {
  EXPECT_EQ(readers_text("heads"), " (gat, tuned_gnn, polynormer, unimp)");
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
  options.transform = Transform::linear;
  options.directions = Directions::split;
  options.node_ids = NodeIds::id;
  options.first_state = FirstState::heard;
  EXPECT_EQ(why_no_bf16("ordered_gnn", options), "");
  EXPECT_EQ(why_no_bf16("mlp", options), "");
}

TEST(Models, CountTheRowsOfAPass) {
  ModelOptions options;
  options.hidden = 8;
  options.chunk = 4;
  options.layers = 3;
  PassSize size{100, 500, 20, 5};
  const auto predicted = [&](const char* model) {
    return find_model(model).prediction_rows(options, size);
  };
  const auto trained = [&](const char* model) {
    return find_model(model).training_rows(options, size);
  };
  EXPECT_EQ(predicted("mlp").most, 2);
  EXPECT_EQ(predicted("ordered_gnn").least, 2);
  EXPECT_EQ(predicted("ordered_gnn").most, 2.5);
  // The input network, state, logits and gate of every layer, a gradient.
  EXPECT_EQ(trained("ordered_gnn").least, 2 + 3 * 1.5 + 1);
  EXPECT_EQ(trained("ordered_gnn").parameters, 8 * 20);
  size.keeps_gates = true;
  EXPECT_EQ(predicted("ordered_gnn").most, 3);
  // Simple gates run one op after the other, whatever --gating says.
  EXPECT_GT(predicted("gated_gnn").most, predicted("ordered_gnn").most + 2);
  options.aggregator = Aggregator::gat;
  EXPECT_EQ(predicted("ordered_gnn").edge_values, 4);
  EXPECT_GT(trained("ordered_gnn").edge_values, 0);
}

TEST(Models, RecomputedLayersKeepLess) {
  ModelOptions options;
  options.layers = 64;
  PassSize size{1000, 5000, 20, 5};
  const MemoryRange all =
      training_bytes(find_model("ordered_gnn"), options, size);
  size.checkpoint_layers = true;
  const MemoryRange some =
      training_bytes(find_model("ordered_gnn"), options, size);
  EXPECT_LT(some.least, all.least / 4);
  EXPECT_LT(some.most, all.most);
}

// Eight layers: the first states of two runs, of which one has its others too.
TEST(Models, RecomputedLayersAreCountedByTheRunsThatKeepThem) {
  ModelOptions options;
  options.layers = 8;
  options.mlp_layers = 1;
  options.chunk = 2;
  PassSize size{1000, 5000, 20, 5};
  size.checkpoint_layers = true;
  const auto rows = [&] {
    return find_model("ordered_gnn").training_rows(options, size);
  };
  EXPECT_DOUBLE_EQ(rows().most, 3 + 5 * 2.2 + 5);
  EXPECT_EQ(rows().least, 2 + 1 + 4);
  size.num_edges = 50000;
  EXPECT_DOUBLE_EQ(rows().most, 3 + 5 * 3.2 + 5);
  size.spares_sums = true;
  EXPECT_DOUBLE_EQ(rows().most, 3 + 5 * 2.2 + 5);
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
