#include "ops/detail/arguments.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ops/detail/candidate_layer.h"
#include "ops/detail/ordered_layer.h"

namespace ordered_gnn::detail {
namespace {

struct Inner {
  double rate = 0;
  optional<at::Tensor> maybe;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.rate, self.maybe);
  }
};

struct Outer {
  at::Tensor x;
  Inner inner;
  bool on = false;
  int64_t count = 0;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.x, self.inner, self.on, self.count);
  }
};

double told(const Outer& outer) {
  return outer.x.item<double>() + outer.inner.rate +
         (outer.inner.maybe.has_value() ? 1000 : 0) + (outer.on ? 100 : 0) +
         static_cast<double>(outer.count);
}

TEST(Arguments, AreFlatInTheOrderOfTheMembers) {
  Outer outer;
  const auto flat_outer = flat(outer);
  static_assert(
      std::is_same_v<decltype(flat_outer),
                     const std::tuple<at::Tensor&, double&,
                                      optional<at::Tensor>&, bool&, int64_t&>>);
  std::get<1>(flat_outer) = 0.5;
  std::get<4>(flat_outer) = 7;
  EXPECT_EQ(outer.inner.rate, 0.5);
  EXPECT_EQ(outer.count, 7);
}

TEST(Arguments, ARegisteredKernelGetsThemAsItsStruct) {
  static_assert(std::is_same_v<decltype(registered<told>),
                               double (*const)(const at::Tensor&, double,
                                               const optional<at::Tensor>&,
                                               bool, int64_t)>);
  const at::Tensor x = torch::tensor(20.0, at::kDouble);
  EXPECT_EQ(registered<told>(x, 0.25, {}, true, 3), 123.25);
  EXPECT_EQ(registered<told>(x, 0.25, x, false, 3), 1023.25);
}

template <typename T>
constexpr size_t kArguments =
    std::tuple_size_v<decltype(flat(std::declval<T&>()))>;

size_t declared(const char* name) {
  return c10::Dispatcher::singleton()
      .findSchemaOrThrow(name, "")
      .schema()
      .arguments()
      .size();
}

TEST(Arguments, OfALayerAreThoseOfItsSchema) {
  EXPECT_EQ(kArguments<OrderedLayerArguments>,
            declared("ordered_gnn::ordered_layer"));
  EXPECT_EQ(kArguments<OrderedLayerBackwardArguments>,
            declared("ordered_gnn::ordered_layer_backward"));
  EXPECT_EQ(kArguments<CandidateLayerArguments>,
            declared("ordered_gnn::candidate_layer"));
  EXPECT_EQ(kArguments<CandidateLayerBackwardArguments>,
            declared("ordered_gnn::candidate_layer_backward"));
}

}  // namespace
}  // namespace ordered_gnn::detail
