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

// A maximum, attention and signed messages are no sums, nor can be.
void expect_needs_a_sum(OrderedGnnOptions options, const std::string& other) {
  EXPECT_EQ(refusal(options), "accepted");
  for (const Aggregator aggregator :
       {Aggregator::max, Aggregator::gat, Aggregator::signed_}) {
    options.aggregator = aggregator;
    EXPECT_NE(refusal(options).find("use mean, gcn or sum, or " + other),
              std::string::npos);
  }
}

TEST(OrderedGnnOptions, AWidthThatTheChunkDoesNotDivideIsRefused) {
  OrderedGnnOptions options;
  options.hidden = 30;
  EXPECT_NE(refusal(options).find("hidden 30 is not divisible by chunk 4"),
            std::string::npos);
}

TEST(OrderedGnnOptions, DirectionsNeedTwoHalvesOfGatesAndASum) {
  OrderedGnnOptions options;
  options.directions = Directions::split;
  EXPECT_EQ(refusal(options), "accepted");
  options.hidden = 12;
  options.chunk = 4;
  EXPECT_NE(refusal(options).find("hidden 12 has 3 of chunk 4; choose a chunk "
                                  "that divides 6"),
            std::string::npos);
  options.gating = Gating::none;
  EXPECT_EQ(refusal(options), "accepted");
  options.hidden = 11;
  EXPECT_NE(refusal(options).find("choose an even width"), std::string::npos);
  options = {};
  options.directions = Directions::split;
  expect_needs_a_sum(options, "--directions joint");
}

TEST(OrderedGnnOptions, AHeardFirstStateNeedsASum) {
  OrderedGnnOptions options;
  options.first_state = FirstState::heard;
  expect_needs_a_sum(options, "--first-state own");
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
  for (const char* name : {"joint", "split"}) {
    EXPECT_EQ(to_string(parse_directions(name)), name);
  }
  for (const char* name : {"own", "heard"}) {
    EXPECT_EQ(to_string(parse_first_state(name)), name);
  }
  for (const char* name : {"none", "id", "adjacency"}) {
    EXPECT_EQ(to_string(parse_node_ids(name)), name);
  }
  for (const char* name : {"none", "simple", "ordered", "softor"}) {
    EXPECT_EQ(to_string(parse_gating(name)), name);
  }
}

}  // namespace
}  // namespace ordered_gnn::nn
