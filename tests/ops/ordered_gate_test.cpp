#include "ordered_gnn/ops/ordered_gate.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

#include "ops/op_checks.h"
#include "ordered_gnn/core/error.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

constexpr Gating kGatings[] = {Gating::simple, Gating::ordered, Gating::softor};

// Inputs are logits, prev_gate, h and m; outputs are h' and the gate.
TensorFunction op_with(Gating gating) {
  return [gating](const Tensors& in) {
    const OrderedGateResult result =
        ordered_gate(gating, in[0], in[1], in[2], in[3]);
    return Tensors{result.h, result.gate};
  };
}

TensorFunction reference_with(Gating gating) {
  return [gating](const Tensors& in) {
    const OrderedGateResult result =
        reference::ordered_gate(gating, in[0], in[1], in[2], in[3]);
    return Tensors{result.h, result.gate};
  };
}

Tensors gate_inputs(int64_t rows, int64_t gates, int64_t width,
                    at::ScalarType dtype) {
  return {random_tensor({rows, gates}, dtype, 61, -4, 4),
          random_tensor({rows, gates}, dtype, 62, 0, 1),
          random_tensor({rows, width}, dtype, 63),
          random_tensor({rows, width}, dtype, 64)};
}

// One row with softmax (1/4, 1/2, 1/4), hence cumax (1, 3/4, 1/4).
Tensors worked_inputs() {
  const double ln2 = std::log(2.0);
  return {torch::tensor({{0.0, ln2, 0.0}}, at::kDouble),
          torch::tensor({{0.0, 0.5, 1.0}}, at::kDouble),
          torch::tensor({{8.0, 8.0, 8.0, 8.0, 8.0, 8.0}}, at::kDouble),
          torch::tensor({{0.0, 4.0, 0.0, 4.0, 0.0, 4.0}}, at::kDouble)};
}

void expect_worked(Gating gating, const std::vector<double>& state,
                   const std::vector<double>& gate) {
  const Tensors out = op_with(gating)(worked_inputs());
  EXPECT_TRUE(close_to(out[0], torch::tensor(state, at::kDouble).unsqueeze(0)));
  EXPECT_TRUE(close_to(out[1], torch::tensor(gate, at::kDouble).unsqueeze(0)));
}

TEST(OrderedGate, OrderedIsTheReverseCumulativeSoftmaxAsWorkedByHand) {
  expect_worked(Gating::ordered, {8, 8, 6, 7, 2, 5}, {1, 0.75, 0.25});
}

TEST(OrderedGate, SoftorKeepsOpenGatesOpenAsWorkedByHand) {
  expect_worked(Gating::softor, {8, 8, 7, 7.5, 8, 8}, {1, 0.875, 1});
}

TEST(OrderedGate, SimpleIsASigmoidPerGateAsWorkedByHand) {
  const double open = 2.0 / 3.0;  // sigmoid(ln 2)
  expect_worked(Gating::simple,
                {4, 6, 8 * open, 8 * open + 4 * (1 - open), 4, 6},
                {0.5, open, 0.5});
}

TEST(OrderedGate, GatesNeverRiseAlongTheRowAndNeverClose) {
  const Tensors inputs = gate_inputs(50, 37, 37, at::kFloat);
  const at::Tensor gate = op_with(Gating::ordered)(inputs)[1];
  EXPECT_TRUE(gate.diff(1, 1).le(0).all().item<bool>());
  EXPECT_TRUE(close_to(gate.select(1, 0), torch::ones({50})));
  const at::Tensor kept = op_with(Gating::softor)(inputs)[1];
  EXPECT_TRUE(kept.ge(inputs[1] - 1e-6).all().item<bool>());
}

TEST(OrderedGate, MatchesTheReferenceAtEveryWidthAndInstructionSet) {
  for_every_simd_level([] {
    for (const Gating gating : kGatings) {
      for (const int64_t gates : kWidths) {
        SCOPED_TRACE(to_string(gating) + " " + std::to_string(gates));
        for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
          for (const int64_t neurons : {1, 3, 4}) {
            expect_matches(op_with(gating), reference_with(gating),
                           gate_inputs(7, gates, gates * neurons, dtype));
          }
        }
      }
    }
  });
}

TEST(OrderedGate, ExtremeLogitsStayFiniteAndRight) {
  for (const Gating gating : kGatings) {
    SCOPED_TRACE(to_string(gating));
    Tensors inputs = gate_inputs(6, 16, 32, at::kFloat);
    inputs[0] = inputs[0] * 50;
    expect_matches(op_with(gating), reference_with(gating), inputs);
  }
}

TEST(OrderedGate, ANanLogitReachesTheOutput) {
  for (const Gating gating : kGatings) {
    Tensors inputs = gate_inputs(2, 5, 5, at::kFloat);
    inputs[0][1][3] = std::numeric_limits<float>::quiet_NaN();
    for_every_simd_level([&] {
      const at::Tensor h = op_with(gating)(inputs)[0];
      EXPECT_TRUE(h[1][3].isnan().item<bool>()) << to_string(gating);
      EXPECT_FALSE(h[0].isnan().any().item<bool>()) << to_string(gating);
    });
  }
}

TEST(OrderedGate, GradientsThroughBothOutputsAgreeWithCentralDifferences) {
  const Tensors in = gate_inputs(4, 5, 15, at::kDouble);
  const std::vector<NamedTensor> named = {
      {"logits", in[0]}, {"prev_gate", in[1]}, {"h", in[2]}, {"m", in[3]}};
  for (const Gating gating : kGatings) {
    SCOPED_TRACE(to_string(gating));
    EXPECT_TRUE(gradients_match(op_with(gating), named));
    for (const size_t kept : {0, 1}) {
      const TensorFunction one = [&](const Tensors& inputs) {
        return Tensors{op_with(gating)(inputs)[kept]};
      };
      EXPECT_TRUE(gradients_match(one, named)) << "output " << kept << " only";
    }
  }
}

TEST(OrderedGate, GradientsFlowThroughTheGatesOfTwoLayers) {
  const Tensors in = gate_inputs(3, 4, 8, at::kDouble);
  const TensorFunction stacked = [](const Tensors& inputs) {
    const OrderedGateResult first = ordered_gate(
        Gating::softor, inputs[0], inputs[1], inputs[2], inputs[3]);
    const OrderedGateResult second = ordered_gate(
        Gating::softor, inputs[0] * 0.5, first.gate, first.h, inputs[3]);
    return Tensors{second.h};
  };
  EXPECT_TRUE(gradients_match(
      stacked,
      {{"logits", in[0]}, {"prev_gate", in[1]}, {"h", in[2]}, {"m", in[3]}}));
}

TEST(OrderedGate, OutputRequiresGradOnlyWhenAnInputDoes) {
  for (const Gating gating : kGatings) {
    expect_gradients_flow(op_with(gating), gate_inputs(3, 2, 4, at::kFloat));
  }
}

TEST(OrderedGate, AcceptsInputsWithGaps) {
  for (const Gating gating : kGatings) {
    expect_accepts_strided(op_with(gating), gate_inputs(6, 5, 20, at::kFloat));
  }
}

TEST(OrderedGate, NoRowsGiveNoRows) {
  for (const Gating gating : kGatings) {
    expect_matches(op_with(gating), reference_with(gating),
                   gate_inputs(0, 4, 8, at::kFloat));
  }
}

TEST(OrderedGate, IsTheSameBitsForAnyNumberOfThreads) {
  for (const Gating gating : kGatings) {
    expect_same_bits_for_any_threads(op_with(gating),
                                     gate_inputs(3000, 16, 64, at::kFloat));
  }
}

TEST(OrderedGate, IsARegisteredOp) {
  EXPECT_TRUE(is_registered("ordered_gate"));
  EXPECT_TRUE(is_registered("ordered_gate_backward"));
}

TEST(OrderedGate, RefusesWrongShapesAndTypes) {
  const Tensors good = gate_inputs(3, 2, 4, at::kFloat);
  const auto with = [&](size_t index, const at::Tensor& value) {
    return [&good, index, value] {
      Tensors inputs = good;
      inputs[index] = value;
      op_with(Gating::softor)(inputs);
    };
  };
  expect_error(with(0, torch::ones({2, 2})),
               "logits must be [3, G] to match h, got [2, 2]");
  expect_error(with(0, torch::ones({3, 3})),
               "3 gates do not divide the width 4");
  expect_error(with(0, torch::ones({3, 0})),
               "0 gates do not divide the width 4");
  expect_error(with(1, torch::ones({3, 4})),
               "prev_gate must be [3, 2], got [3, 4]");
  expect_error(with(2, torch::ones({3})), "h must be [N, D], got [3]");
  expect_error(with(3, torch::ones({3, 2})), "m must be [3, 4], got [3, 2]");
  expect_error(with(2, torch::ones({3, 4}, at::kHalf)),
               "h must be float32 or float64, got Half");
  expect_error(with(0, good[0].to(at::kDouble)),
               "logits is Double but h is Float");
  expect_error(with(1, good[1].to(at::kDouble)),
               "prev_gate is Double but h is Float");
  expect_error(with(3, good[3].to(at::kDouble)), "m is Double but h is Float");
  expect_error([&] { op_with(Gating::none)(good); },
               "gating 'none' has no gate to compute");
}

TEST(Gating, NamesRoundTripAndSuggest) {
  for (const char* name : {"none", "simple", "ordered", "softor"}) {
    EXPECT_EQ(to_string(parse_gating(name)), name);
  }
  try {
    parse_gating("soft-or");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'softor'"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace ordered_gnn
