#include "ordered_gnn/nn/options.h"

#include <gtest/gtest.h>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/ordered_gnn.h"

namespace ordered_gnn::nn {
namespace {

std::string refusal(const OrderedGnnOptions& options) {
  try {
    const OrderedGnn model({4, 2}, options, 1);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OrderedGnnOptions, AWidthThatTheChunkDoesNotDivideIsRefused) {
  OrderedGnnOptions options;
  options.hidden = 30;
  EXPECT_NE(refusal(options).find("hidden 30 is not divisible by chunk 4"),
            std::string::npos);
}

TEST(OrderedGnnOptions, NumbersOutOfRangeAreRefusedByName) {
  OrderedGnnOptions options;
  options.layers = 0;
  EXPECT_NE(refusal(options).find("'layers'"), std::string::npos);
  options = {};
  options.mlp_layers = 0;
  EXPECT_NE(refusal(options).find("'mlp-layers'"), std::string::npos);
  options = {};
  options.dropout_xi = 1;
  EXPECT_NE(refusal(options).find("'dropout-xi'"), std::string::npos);
}

TEST(OrderedGnnOptions, NamesRoundTrip) {
  for (const char* name : {"mean", "gcn", "sum", "max", "gat", "signed"}) {
    EXPECT_EQ(to_string(parse_aggregator(name)), name);
  }
  for (const char* name : {"layer", "batch", "none"}) {
    EXPECT_EQ(to_string(parse_norm(name)), name);
  }
  for (const char* name : {"none", "simple", "ordered", "softor"}) {
    EXPECT_EQ(to_string(parse_gating(name)), name);
  }
}

}  // namespace
}  // namespace ordered_gnn::nn
