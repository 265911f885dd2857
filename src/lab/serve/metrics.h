#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "lab/serve/service.h"

namespace ordered_gnn::lab {

/// What a server counts of its requests.
class RequestMetrics {
 public:
  /// @param route  of a short list: "/v1/predict".
  void count(const std::string& route, int status, double seconds);
  void count_predictions(int64_t nodes);

  /// The Prometheus text format, with the figures of the service.
  std::string text(const Service& service) const;

 private:
  static constexpr std::array<double, 10> kBounds = {
      0.0001, 0.00025, 0.001, 0.0025, 0.005, 0.025, 0.1, 0.25, 1, 10};
  struct Latency {
    std::array<int64_t, kBounds.size() + 1> buckets{};
    double sum = 0;
  };

  void append_requests(std::string& out) const;
  void append_latencies(std::string& out) const;

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, int64_t> requests_;
  std::map<std::string, Latency> latencies_;
  int64_t predictions_ = 0;
};

}  // namespace ordered_gnn::lab
