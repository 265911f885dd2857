#include "ordered_gnn/nn/models.h"

#include <gtest/gtest.h>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::nn {
namespace {

TEST(Models, EveryEntryHasASummaryAndDefaultsOfTheTable) {
  for (const ModelEntry& entry : model_table()) {
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    EXPECT_TRUE(entry.defaults.is_object()) << entry.name;
    EXPECT_EQ(&find_model(entry.name), &entry);
  }
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
