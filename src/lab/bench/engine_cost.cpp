#include "lab/bench/engine_cost.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "lab/bench/cpu_seconds.h"
#include "scale/engines/gloo.h"

namespace ordered_gnn::lab {
namespace {

// Those of a round are under way at a time, as many as a rank has parts.
constexpr int64_t kTags = 4;
// About what a part sends in a layer of a small graph, and next to nothing.
constexpr int64_t kLarge = int64_t{256} << 10, kSmall = 256;

void send_rounds(scale::Group& group, int64_t rounds, int64_t bytes) {
  const int64_t other = 1 - group.rank();
  const at::Tensor out = at::zeros({kTags, bytes}, at::kByte);
  const at::Tensor in = at::zeros({kTags, bytes}, at::kByte);
  for (int64_t i = 0; i < rounds; ++i) {
    std::vector<std::unique_ptr<scale::Transfer>> under_way;
    for (int64_t tag = 0; tag < kTags; ++tag) {
      under_way.push_back(group.start_receive(in[tag], other, tag));
    }
    for (int64_t tag = 0; tag < kTags; ++tag) {
      under_way.push_back(group.start_send(out[tag], other, tag));
    }
    for (const auto& transfer : under_way) transfer->wait();
  }
}

// Calls body(group) as two ranks, on threads.
template <typename Body>
void as_two_ranks(const Body& body) {
  const scale::BoardServer server({"127.0.0.1", 0});
  std::exception_ptr failures[2];
  std::vector<std::thread> ranks;
  for (int64_t r = 0; r < 2; ++r) {
    ranks.emplace_back([&, r] {
      try {
        scale::GlooOptions options;
        options.rank = r;
        options.size = 2;
        options.place = {"127.0.0.1", server.port()};
        const auto group = scale::make_gloo_group(options);
        body(*group);
      } catch (...) {
        failures[r] = std::current_exception();
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace

std::optional<EngineCost> measure_engine(int64_t messages) {
  if (!scale::has_gloo()) return std::nullopt;
  const int64_t rounds = std::max<int64_t>(1, messages / kTags);
  const auto sent = static_cast<double>(2 * rounds * kTags);
  double small = 0, large = 0;
  as_two_ranks([&](scale::Group& group) {
    // Rank 0 looks at the clock of the process when both are there.
    at::Tensor ready = at::zeros({1}, at::kByte);
    const auto timed = [&](int64_t bytes) {
      const double before = cpu_seconds();
      send_rounds(group, rounds, bytes);
      group.broadcast(ready);
      return (cpu_seconds() - before) / sent;
    };
    send_rounds(group, 1 + rounds / 8, kLarge);
    group.broadcast(ready);
    const double of_small = timed(kSmall), of_large = timed(kLarge);
    if (group.rank() > 0) return;
    small = of_small;
    large = of_large;
  });
  EngineCost cost;
  cost.per_byte =
      std::max(0.0, large - small) / static_cast<double>(kLarge - kSmall);
  cost.per_message =
      std::max(0.0, small - cost.per_byte * static_cast<double>(kSmall));
  return cost;
}

}  // namespace ordered_gnn::lab
