// Which way a pass takes, for all switches together.
#include "nn/execution_plan.h"

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <functional>

#include "nn/every_network.h"

namespace ordered_gnn::nn {
namespace {

OrderedGnnOptions fusible() {
  OrderedGnnOptions options;
  options.gating = Gating::softor;
  options.aggregator = Aggregator::mean;
  options.norm = Norm::layer;
  options.residual = false;
  return options;
}

PassConditions training_on_gpu() {
  PassConditions conditions;
  conditions.on_gpu = true;
  conditions.records_gradients = true;
  return conditions;
}

void for_all_options(
    const std::function<void(const OrderedGnnOptions&)>& visit) {
  for_every_network({}, [&](OrderedGnnOptions options) {
    for (const int bits : {0, 1, 2, 3, 6, 7}) {
      options.residual = (bits & 1) != 0;
      options.transform = (bits & 2) != 0 ? Transform::linear : Transform::none;
      options.candidate_norm = (bits & 4) != 0 ? Norm::batch : Norm::layer;
      visit(options);
    }
  });
}

void for_all_conditions(
    const std::function<void(const PassConditions&)>& visit) {
  for (int bits = 0; bits < 256; ++bits) {
    const auto is_set = [bits](int place) {
      return ((bits >> place) & 1) == 1;
    };
    PassConditions conditions;
    conditions.fused = is_set(0);
    conditions.checkpoint_layers = is_set(1);
    conditions.states_are_seen = is_set(2);
    conditions.on_gpu = is_set(3);
    conditions.records_gradients = is_set(4);
    conditions.for_receivers = is_set(5);
    conditions.weighted = is_set(6);
    conditions.of_part = is_set(7);
    visit(conditions);
  }
}

std::string text_of(const OrderedGnnOptions& options,
                    const PassConditions& conditions) {
  std::string text = to_string(options.gating) + " " +
                     to_string(options.aggregator) + " " +
                     to_string(options.norm);
  if (options.residual) text += " residual";
  if (options.transform == Transform::linear) {
    text += " transform " + to_string(options.candidate_norm);
  }
  if (conditions.fused) text += ", fused";
  if (conditions.checkpoint_layers) text += ", checkpoint";
  if (conditions.states_are_seen) text += ", seen";
  if (conditions.on_gpu) text += ", gpu";
  if (conditions.records_gradients) text += ", gradients";
  if (conditions.for_receivers) text += ", receivers";
  if (conditions.weighted) text += ", weighted";
  if (conditions.of_part) text += ", part";
  return text;
}

// What options have ops for.
struct Kernels {
  bool layer = false;      // ordered_layer()
  bool candidate = false;  // candidate_layer()

  // On a GPU candidate_layer() takes whole graphs alone.
  bool of(const PassConditions& c) const {
    return layer || (candidate && !(c.on_gpu && c.of_part));
  }
};

// The ways of forward(), each by all that leads to it.
bool is_right(Way way, const Kernels& kernels, bool batch,
              const PassConditions& c) {
  const bool again = c.checkpoint_layers && !c.states_are_seen && !batch;
  const bool undone = kernels.layer && c.on_gpu && c.records_gradients &&
                      !c.states_are_seen && !c.of_part;
  const bool fuses = c.fused && kernels.of(c) && !c.weighted;
  switch (way) {
    case Way::composed:
      return !again && !fuses;
    case Way::fused:
      return !again && fuses && !undone;
    case Way::stacked:
      return !again && fuses && undone;
    case Way::recomputed:
      return again;
    case Way::receivers:
      return false;
  }
  return false;
}

TEST(ExecutionPlan, HasOneWayForEverySetOfSwitches) {
  int passes = 0;
  for_all_options([&](const OrderedGnnOptions& options) {
    const bool fits = (options.gating == Gating::ordered ||
                       options.gating == Gating::softor) &&
                      (options.aggregator == Aggregator::mean ||
                       options.aggregator == Aggregator::gcn ||
                       options.aggregator == Aggregator::sum) &&
                      !options.residual;
    const bool transforms = options.transform == Transform::linear;
    const Kernels kernels{fits && !transforms && options.norm == Norm::layer,
                          fits && transforms};
    const bool batch = options.norm == Norm::batch ||
                       (options.transform == Transform::linear &&
                        options.candidate_norm == Norm::batch);
    EXPECT_EQ(has_fused_layers(options), kernels.layer);
    EXPECT_EQ(has_candidate_layers(options), kernels.candidate);
    for_all_conditions([&](const PassConditions& conditions) {
      SCOPED_TRACE(text_of(options, conditions));
      ++passes;
      if (!conditions.for_receivers) {
        const ExecutionPlan plan(options, conditions);
        EXPECT_TRUE(is_right(plan.way(), kernels, batch, conditions));
        EXPECT_EQ(plan.fuses_layers(), conditions.fused &&
                                           kernels.of(conditions) &&
                                           !conditions.weighted);
      } else if (conditions.fused && kernels.layer && !conditions.weighted) {
        EXPECT_EQ(ExecutionPlan(options, conditions).way(), Way::receivers);
      } else {
        EXPECT_THROW(ExecutionPlan(options, conditions), c10::Error);
      }
    });
  });
  EXPECT_EQ(passes, 4 * 6 * 3 * 6 * 256);
}

TEST(ExecutionPlan, CandidatesOfWideRowsAreComposedOnAGpu) {
  OrderedGnnOptions options = fusible();
  options.transform = Transform::linear;
  for (const int64_t width : {256, 260, 512}) {
    options.hidden = width;
    const ExecutionPlan on_gpu(options, training_on_gpu());
    EXPECT_EQ(on_gpu.way(), width > 256 ? Way::composed : Way::fused);
    EXPECT_EQ(ExecutionPlan(options, {}).way(), Way::fused);
  }
}

TEST(ExecutionPlan, SplitDirectionsAreComposed) {
  OrderedGnnOptions options = fusible();
  options.directions = Directions::split;
  EXPECT_FALSE(has_fused_layers(options));
  EXPECT_EQ(ExecutionPlan(options, training_on_gpu()).way(), Way::composed);
}

TEST(ExecutionPlan, OfEachUseIsTheOneThatSuitsIt) {
  const auto way = [](const OrderedGnnOptions& options,
                      const PassConditions& conditions) {
    return ExecutionPlan(options, conditions).way();
  };
  PassConditions conditions = training_on_gpu();
  EXPECT_EQ(way(fusible(), conditions), Way::stacked);
  conditions.for_receivers = true;
  EXPECT_EQ(way(fusible(), conditions), Way::receivers);
  conditions = training_on_gpu();
  conditions.on_gpu = false;
  EXPECT_EQ(way(fusible(), conditions), Way::fused) << "training on the CPU";
  conditions = training_on_gpu();
  conditions.records_gradients = false;
  EXPECT_EQ(way(fusible(), conditions), Way::fused) << "evaluation on a GPU";
  conditions = training_on_gpu();
  conditions.states_are_seen = true;
  EXPECT_EQ(way(fusible(), conditions), Way::fused) << "with a trace";
  conditions = training_on_gpu();
  conditions.checkpoint_layers = true;
  EXPECT_EQ(way(fusible(), conditions), Way::recomputed);
  conditions.states_are_seen = true;
  EXPECT_EQ(way(fusible(), conditions), Way::fused) << "a trace keeps all";
  OrderedGnnOptions batch = fusible();
  batch.norm = Norm::batch;
  conditions = training_on_gpu();
  conditions.checkpoint_layers = true;
  EXPECT_EQ(way(batch, conditions), Way::composed)
      << "batch statistics are counted once";
  conditions = training_on_gpu();
  conditions.fused = false;
  EXPECT_EQ(way(fusible(), conditions), Way::composed);
}

TEST(ExecutionPlan, IsShorterForReceiversWhereItWouldStackTheLayers) {
  for_all_conditions([&](const PassConditions& conditions) {
    if (conditions.for_receivers) return;
    const ExecutionPlan plan(fusible(), conditions);
    EXPECT_EQ(plan.is_shorter_for_receivers(),
              conditions.fused && !conditions.weighted && conditions.on_gpu &&
                  conditions.records_gradients && !conditions.states_are_seen &&
                  !conditions.checkpoint_layers && !conditions.of_part)
        << text_of(fusible(), conditions);
  });
}

}  // namespace
}  // namespace ordered_gnn::nn
